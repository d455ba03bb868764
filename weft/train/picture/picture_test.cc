// Pictures: pixels where they must be, files that others read, and the letters.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <set>

#include "weft/base/file.h"
#include "weft/base/test_error.h"
#include "weft/base/test_folder.h"
#include "weft/train/picture/axes.h"
#include "weft/train/picture/font.h"
#include "weft/train/picture/raster.h"
#include "weft/train/picture/vector.h"
#include "weft/weft.h"

namespace weft::train {
namespace {

constexpr Color kBlack{0, 0, 0}, kBlue{0x24, 0x68, 0xb4}, kOrange{0xe0, 0x76, 0x2e},
    kRed{0xcc, 0x3d, 0x3d}, kGreen{0x2e, 0x8b, 0x57};

struct Folder : TestFolder {
  std::string at(std::string_view name) const { return text(path(), "/", name); }
  bool is_empty() const { return std::filesystem::is_empty(path()); }
};

// The pixels of a PNG that was written.
struct Image {
  int64_t height, width;
  std::vector<uint8_t> values;

  explicit Image(const std::string& path) {
    const Tensor pixels = data::decode_image(read_file(path));
    height = pixels.dim(0).value();
    width = pixels.dim(1).value();
    EXPECT_EQ(pixels.dim(2).value(), 3);
    values = pixels.to_vector<uint8_t>();
  }
  Color at(int64_t row, int64_t column) const {
    const uint8_t* const p = values.data() + (row * width + column) * 3;
    return {p[0], p[1], p[2]};
  }
  bool has(Color color, int64_t first_row = 0, int64_t first_column = 0) const {
    for (int64_t row = first_row; row < height; ++row) {
      for (int64_t column = first_column; column < width; ++column) {
        if (at(row, column) == color) return true;
      }
    }
    return false;
  }
};

size_t count_of(const std::string& text, const std::string& word) {
  size_t out = 0;
  for (size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += word.size()) ++out;
  return out;
}

TEST(Raster, BoxesCoverPixelsByTheirPart) {
  Raster drawn(10, 10);
  drawn.box(2, 3, 4.25, 5, kBlack);
  ASSERT_EQ(drawn.rows(), 20);
  ASSERT_EQ(drawn.columns(), 20);
  for (int64_t row = 6; row < 10; ++row) {
    for (int64_t column = 4; column < 8; ++column) EXPECT_EQ(*drawn.at(row, column), 0);
  }
  EXPECT_EQ(*drawn.at(5, 5), 255);
  EXPECT_EQ(*drawn.at(10, 5), 255);
  EXPECT_EQ(*drawn.at(7, 8), 127.5f);  // half of it
  EXPECT_EQ(*drawn.at(7, 9), 255);
  drawn.box(-5, -5, 50, 50, kBlack);  // beyond all edges
  EXPECT_EQ(*drawn.at(0, 0), 0);
  EXPECT_EQ(*drawn.at(19, 19), 0);
}

TEST(Raster, LinesHaveSmoothEdgesAndOneOpacity) {
  Raster drawn(20, 20);
  drawn.line(Points{{2, 10}, {10, 10}, {18, 10}}, kBlack, 2);  // two pixels on each side of row 20
  for (int64_t column = 10; column < 30; ++column) {
    for (int64_t row = 18; row < 22; ++row) EXPECT_EQ(*drawn.at(row, column), 0);
  }
  EXPECT_EQ(*drawn.at(17, 20), 255);
  drawn.line(Points{{2, 2}, {6, 6}}, kBlack, 1);
  EXPECT_EQ(*drawn.at(8, 8), 0);
  EXPECT_GT(*drawn.at(8, 10), 0);
  EXPECT_LT(*drawn.at(8, 10), 255);
  drawn.dot(15, 4, {255, 0, 0}, 4);
  EXPECT_EQ(drawn.at(8, 30)[0], 255);
  EXPECT_EQ(drawn.at(8, 30)[1], 0);
  EXPECT_EQ(drawn.at(8, 35)[1], 255);
  Raster blank(20, 20);
  blank.line(Points{{-50, 4}, {-40, 4}}, kBlack, 1);  // outside: nothing
  blank.line(Points{}, kBlack, 1);
  EXPECT_EQ(blank.bytes(), Raster(20, 20).bytes());
}

TEST(Raster, AreasFillWhatIsBelowALine) {
  Raster drawn(20, 20);
  drawn.area(Points{{0, 10}, {10, 10}, {20, 0}}, 20, kBlack, 0.5);
  EXPECT_EQ(*drawn.at(30, 10), 127.5f);
  EXPECT_EQ(*drawn.at(18, 10), 255);
  EXPECT_EQ(*drawn.at(12, 36), 127.5f);
}

TEST(Font, EveryLetterIsDrawnAndNoneLikeAnother) {
  std::set<std::string> seen;
  const std::string blank = Raster(24, 36).bytes();
  for (char c = 32; c < 127; ++c) {
    Raster drawn(24, 36);
    drawn.text(5, 24, {&c, 1}, kBlack, 20, Align::kLeft);
    EXPECT_EQ(drawn.bytes() == blank, c == ' ') << c;
    EXPECT_TRUE(seen.insert(drawn.bytes()).second) << c << " is drawn like another";
    for (int64_t row = 0; row < drawn.rows(); ++row) {  // it stays in its place
      EXPECT_EQ(*drawn.at(row, 0) + *drawn.at(row, drawn.columns() - 1), 510) << c;
    }
    for (int64_t column = 0; column < drawn.columns(); ++column) {
      EXPECT_EQ(*drawn.at(0, column) + *drawn.at(drawn.rows() - 1, column), 510) << c;
    }
  }
  EXPECT_EQ(&letter_of(U'\u00e9'), &letter_of(U'?'));
  EXPECT_EQ(width_of("\u00e9\u20ac", 10), width_of("??", 10));  // characters, not bytes
  EXPECT_EQ(width_of("\xff\xfe", 10), width_of("??", 10));
}

TEST(Font, TextIsAsWideAsIsSaidAndStandsWhereItShould) {
  const double wide = width_of("loss 0.25", 12);
  EXPECT_EQ(width_of("0000", 12), width_of("1111", 12));
  EXPECT_EQ(width_of("", 12), 0);
  for (const auto& [align, left] : {std::pair(Align::kLeft, 60.0),
                                    {Align::kCenter, 60 - wide / 2},
                                    {Align::kRight, 60 - wide}}) {
    Raster drawn(130, 30);
    drawn.text(60, 20, "loss 0.25", kBlack, 12, align);
    double first = 1000, last = 0;
    float darkest = 255, below = 255;
    for (int64_t column = 0; column < drawn.columns(); ++column) {
      for (int64_t row = 0; row < drawn.rows(); ++row) {
        const float value = *drawn.at(row, column);
        if (row >= 42) below = std::min(below, value);
        if (23 <= row && row < 40) darkest = std::min(darkest, value);
        if (value >= 200) continue;
        first = std::min(first, static_cast<double>(column) / 2);
        last = static_cast<double>(column) / 2;
      }
    }
    EXPECT_NEAR(first, left, 1.5);
    EXPECT_NEAR(last, left + wide, 1.5);
    EXPECT_EQ(below, 255);  // on its baseline
    EXPECT_LT(darkest, 50);
  }
}

TEST(Axes, TicksAreRoundAndEnclose) {
  const auto expect = [](const std::vector<double>& found, const std::vector<double>& wanted) {
    ASSERT_EQ(found.size(), wanted.size());
    for (size_t k = 0; k < found.size(); ++k) EXPECT_NEAR(found[k], wanted[k], 1e-9);
  };
  expect(ticks(0.13, 2.2), {0, 0.5, 1.0, 1.5, 2.0, 2.5});
  expect(ticks(0, 1), {0, 0.2, 0.4, 0.6, 0.8, 1.0});
  expect(ticks(3, 3), {2.6, 2.8, 3.0, 3.2, 3.4});
  expect(ticks(-5, 250), {-100, 0, 100, 200, 300});
  expect(ticks(1, 3, 8, /*is_whole=*/true), {1, 2, 3});
}

TEST(Axes, LabelsHaveTheDigitsThatStepsNeed) {
  EXPECT_EQ(text(labels(std::vector{0.0, 0.25, 0.5, 0.75}, 0.25)), "[0, 0.25, 0.50, 0.75]");
  EXPECT_EQ(text(labels(std::vector{0.5, 1.0}, 0.5)), "[0.5, 1.0]");
  EXPECT_EQ(label(0.9, 0.94 - 0.92), "0.90");  // below 0.02
  EXPECT_EQ(label(0.9, 0.84 - 0.82), "0.90");  // above it
  EXPECT_EQ(label(2e6, 1e6), "2e6");
  EXPECT_EQ(label(-2.5e12, 1e6), "-2.5e12");
  EXPECT_EQ(label(300, 100), "300");
  EXPECT_EQ(label(2e-6, 1e-6), "2e-6");
}

TEST(DrawCurves, TrainingAndValidation) {
  const Folder folder;
  const double none = std::nan(""), beyond = std::numeric_limits<double>::infinity();
  draw_curves(folder.at("a.png"), {1, 2, 3},
              {{"loss", {2, 1, 0}}, {"val_loss", {2, none, beyond}}, {"accuracy", {0.1, 0.5, 1}}});
  const Image image(folder.at("a.png"));
  EXPECT_EQ(image.height, 580);
  EXPECT_EQ(image.width, 1720);
  // The panel goes from (62, 54) to (410, 236): the middle of the loss is in its middle.
  EXPECT_EQ(image.at(290, 472), kBlue);
  EXPECT_EQ(image.at(108, 124), kOrange);  // the last to be drawn where both begin
  EXPECT_FALSE(image.has(kOrange, 130));   // the only finite value, and no legend
  EXPECT_FALSE(image.has(kOrange, 0, 860));
  EXPECT_TRUE(image.has(kBlue, 0, 860));
}

TEST(DrawCurves, OneEpochIsADotAndALonelyValidationHasAPanel) {
  const Folder folder;
  draw_curves(folder.at("a.png"), {0}, {{"loss", {0.5}}});
  EXPECT_EQ(Image(folder.at("a.png")).at(290, 472), kBlue);
  draw_curves(folder.at("b.PNG"), {0, 1}, {{"val_f1", {0.5, 0.6}}});
  EXPECT_TRUE(Image(folder.at("b.PNG")).has(kOrange));
  EXPECT_FALSE(Image(folder.at("b.PNG")).has(kBlue));
  draw_curves(folder.at("c.png"), {}, {{"loss", {}}});
  EXPECT_FALSE(Image(folder.at("c.png")).has(kBlue, 130));
}

TEST(DrawCurves, OfAHistory) {
  const Folder folder;
  History history;
  Logs logs;
  logs.set("loss", 2);
  logs.set("val_loss", 3);
  history.add(0, logs);
  history.add(1, logs);
  history.plot(folder.at("a.svg"));
  draw_curves(folder.at("b.svg"), {1, 2}, history.history);
  EXPECT_EQ(read_file(folder.at("a.svg")), read_file(folder.at("b.svg")));
}

TEST(Vector, HasTheSameParts) {
  const Folder folder;
  draw_curves(folder.at("a.svg"), {0, 1}, {{"loss <a>", {1, 2}}, {"val_loss <a>", {1, 3}}});
  const std::string page = read_file(folder.at("a.svg"));
  for (const char* const word : {">loss &lt;a></text>", ">training<", ">validation<", ">epoch<"}) {
    EXPECT_EQ(count_of(page, word), 1) << word;
  }
  EXPECT_EQ(count_of(page, "stroke=\"#2468b4\""), 2);  // legend and curve
  EXPECT_EQ(count_of(page, "stroke=\"#e0762e\""), 2);
  EXPECT_TRUE(page.ends_with("</svg>\n"));
  draw_images(folder.at("b.svg"), zeros({2, 3, 3}));
  EXPECT_EQ(count_of(read_file(folder.at("b.svg")), "href=\"data:image/png;base64,iVBORw0K"), 2);
}

TEST(DrawConfusion, PartsOfRows) {
  const Folder folder;
  draw_confusion(folder.at("a.png"), tensor({{1000, 0}, {500, 500}}), {"cat", "dog"});
  const Image image(folder.at("a.png"));
  const double left = 34 + width_of("cat", 10), cell = width_of("1,000", 10) + 10;
  const auto corner = [&](int row, int column) {
    return image.at(int64_t((72 + 28 * row + 3) * 2), int64_t((left + cell * column + 3) * 2));
  };
  EXPECT_EQ(hex(corner(0, 0)), "#174a7e");
  EXPECT_EQ(hex(corner(0, 1)), "#f4f7fa");
  EXPECT_GT(corner(1, 0).red, corner(1, 0).blue);  // errors are red, what is right is blue
  EXPECT_GT(corner(1, 1).blue, corner(1, 1).red);
  draw_confusion(folder.at("b.svg"), zeros({2, 2}, DType::kI64));
  EXPECT_EQ(count_of(read_file(folder.at("b.svg")), "nothing was counted"), 1);
  draw_confusion(folder.at("c.svg"), tensor({{1234.5, 0.0}, {0.0, 1.0}}));
  EXPECT_EQ(count_of(read_file(folder.at("c.svg")),
                     "1,235.5 of 1,235.5 right (100.0%); rows are true, columns said"),
            1);
}

TEST(DrawImages, EnlargedWithoutBlurAndMarked) {
  const Folder folder;
  const Tensor images = tensor({{{1.0, 0.0}, {0.0, 0.5}}, {{1.0, 0.0}, {0.0, 0.5}}});
  draw_images(folder.at("a.png"), images, {{"a", "b"}, 1, std::vector<bool>{false, true}});
  const Image image(folder.at("a.png"));
  // The first is at (18, 14), 96 points wide: cells of 96 pixels.
  EXPECT_EQ(image.at(28, 36), kWhite);
  EXPECT_EQ(image.at(123, 131), kWhite);
  EXPECT_EQ(image.at(28, 132), kBlack);
  EXPECT_EQ(hex(image.at(124, 132)), "#808080");
  EXPECT_EQ(image.at(100, 33), kGreen);
  EXPECT_EQ(image.at(100 + 2 * (96 + 34), 33), kRed);
  EXPECT_EQ(image.height, 2 * (14 + 2 * (96 + 34)));
}

TEST(DrawImages, CaptionsOfTwoLines) {
  const Folder folder;
  draw_images(folder.at("a.svg"), zeros({2, 4, 4}),
              {.captions = {"cat\n98% sure", "dog"}, .wrong = std::vector<bool>{false, true}});
  const std::string page = read_file(folder.at("a.svg"));
  EXPECT_EQ(count_of(page, "y=\"126.00\" fill=\"#2e8b57\" font-size=\"10\""), 1);
  EXPECT_EQ(count_of(page, "y=\"138.00\" fill=\"#6b7a88\" font-size=\"9\""), 1);
  EXPECT_EQ(count_of(page, "y=\"126.00\" fill=\"#cc3d3d\" font-size=\"10\""), 1);
}

TEST(DrawImages, FormsOfImages) {
  const Folder folder;
  const auto bytes_of = [&](const Tensor& images) {
    draw_images(folder.at("a.png"), images);
    return read_file(folder.at("a.png"));
  };
  const Tensor x = random::uniform(random::Key(0), {2, 6, 5, 3});
  EXPECT_EQ(bytes_of(x), bytes_of(permute_dims(x, {0, 3, 1, 2})));
  const Tensor gray = index(x, {Range{}, Range{}, Range{}, 0});
  EXPECT_EQ(bytes_of(gray), bytes_of(reshape(gray, {2, 1, 6, 5})));
  EXPECT_EQ(bytes_of(gray), bytes_of(repeat(reshape(gray, {2, 6, 5, 1}), 3, 3)));
  const Tensor ends = tensor({{{-3.0, 5.0}}});  // spread over all of black to white
  EXPECT_EQ(bytes_of(ends), bytes_of(tensor({{{0.0, 1.0}}})));
  const Tensor nothing = tensor({{{0.0, std::nan("")}}});
  EXPECT_EQ(bytes_of(nothing), bytes_of(tensor({{{0.0, 0.0}}})));
  EXPECT_NE(bytes_of(full({1, 2, 2}, 7, DType::kU8)), bytes_of(full({1, 2, 2}, 7.0)));
}

TEST(DrawMemory, CyclesAndPeaks) {
  const Folder folder;
  MemoryByTime memory{{{0, 1 << 20}}, {1, 2, 3}, 3};
  for (int k = 0; k < 3; ++k) {
    memory.moments.push_back({k + 0.25, 3 << 20});
    memory.moments.push_back({k + 0.75, 1 << 20});
  }
  draw_memory(folder.at("a.png"), memory);
  const Image image(folder.at("a.png"));
  EXPECT_EQ(image.height, 660);
  EXPECT_EQ(image.width, 1520);
  // The panel goes from (66, 66) to (736, 276) and from 0 to 3 s, 0 to 3 MB.
  const auto column = [](double second) { return std::lround((66 + 670 * second / 3) * 2); };
  EXPECT_EQ(hex(image.at(150, column(0.1))), "#f1f5f9");  // steps in turn
  EXPECT_EQ(image.at(150, column(1.1)), kWhite);
  EXPECT_EQ(image.at(132, column(0.4)), kBlue);
  EXPECT_EQ(image.at(132 + 280, column(0.9)), kBlue);
  draw_memory(folder.at("a.svg"), memory);
  const std::string page = read_file(folder.at("a.svg"));
  for (const char* const word :
       {">memory by time<", ">MB of tensors in use, 3 steps<", ">3 MB<", ">seconds<"}) {
    EXPECT_EQ(count_of(page, word), 1) << word;
  }
  draw_memory(folder.at("b.png"), {});  // of nothing
}

TEST(DrawMemory, ThousandsOfOpsKeepTheirPeaks) {
  std::vector<MemoryByTime::Moment> all;
  for (int k = 0; k < 100'000; ++k) all.push_back({k / 1e5, k == 54321 ? 7.0 : k % 3});
  const auto kept = detail::thinned(all, 1.0);
  EXPECT_LE(kept.size(), detail::kMostMoments + 4);
  EXPECT_EQ(std::count(kept.begin(), kept.end(), all[54321]), 1);
  EXPECT_EQ(kept.front(), all.front());
  EXPECT_EQ(kept.back(), all.back());
  for (size_t k = 1; k < kept.size(); ++k) EXPECT_LT(kept[k - 1].seconds, kept[k].seconds);
}

TEST(Pictures, Messages) {
  const Folder folder;
  const auto file = [&](const char* name) { return folder.at(name); };
  EXPECT_EQ(error_of([&] { draw_curves(file("a.jpg"), {0}, {{"loss", {1}}}); }),
            "draw_curves: the file's name ends in '.jpg'; a picture is written as .png or .svg "
            "[draw_curves.format]");
  EXPECT_EQ(error_of([&] { draw_curves(file("a.png"), {0}, {}); }),
            "draw_curves: there are no values to draw [draw_curves.values]");
  EXPECT_EQ(error_of([&] { draw_curves(file("a.png"), {0, 1}, {{"loss", {1}}}); }),
            "draw_curves: there are 2 epochs, but 1 values of 'loss'; each epoch has one "
            "[draw_curves.values]");
  EXPECT_EQ(error_of([&] { draw_confusion(file("a.png"), zeros({2, 3})); }),
            "draw_confusion: the matrix has shape [2, 3]; it needs a row and a column for each "
            "class [draw_confusion.matrix]");
  EXPECT_EQ(error_of([&] { draw_confusion(file("a.png"), zeros({2, 2}), {"a"}); }),
            "draw_confusion: there are 1 labels for 2 classes; each class has one "
            "[draw_confusion.labels]");
  EXPECT_EQ(error_of([&] { draw_images(file("a.png"), zeros({2, 2, 4, 4})); }),
            "draw_images: images have shape [2, 2, 4, 4]; they are [n, h, w], [n, c, h, w] or "
            "[n, h, w, c] with 1 or 3 channels [draw_images.shape]");
  EXPECT_EQ(error_of([&] { draw_images(file("a.png"), zeros({2, 4, 4}), {.captions = {"a"}}); }),
            "draw_images: there are 2 images, but 1 captions; each image has one "
            "[draw_images.count]");
  EXPECT_EQ(error_of([&] {
              draw_images(file("a.png"), zeros({1, 4, 4}), {.wrong = std::vector<bool>(3)});
            }),
            "draw_images: there are 1 images, but 3 marks in wrong; each image has one "
            "[draw_images.count]");
  EXPECT_EQ(error_of([&] { draw_images(file("a.png"), zeros({2, 4, 4}), {.columns = 0}); }),
            "draw_images: columns is 0; it is 1 or more [draw_images.columns]");
  EXPECT_TRUE(folder.is_empty());
  EXPECT_EQ(error_of([&] { draw_images(file("none/a.png"), zeros({2, 4, 4})); }),
            text("draw_images: cannot write '", file("none/a.png"),
                 "': No such file or directory; give a path in a folder that exists, can be "
                 "written to and has room"));
}

}  // namespace
}  // namespace weft::train
