// Our own reader of PNG beside libpng's: the same pixels, and the same errors for damaged files.
#include <gtest/gtest.h>
#include <zlib.h>

#include <random>

#include "weft/data/png_plain.h"
#include "weft/data/png_unfilter.h"
#include "weft/op/builtin.h"

namespace weft::data {
namespace {

std::string big_endian(uint32_t number) {
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(number >> shift);
  return out;
}

std::string chunk(const std::string& kind, const std::string& data) {
  const std::string summed = kind + data;
  const uLong sum =
      crc32(0, reinterpret_cast<const Bytef*>(summed.data()), static_cast<uInt>(summed.size()));
  return big_endian(static_cast<uint32_t>(data.size())) + summed +
         big_endian(static_cast<uint32_t>(sum));
}

std::string packed(const std::string& bytes, int level = 6) {
  uLongf size = compressBound(bytes.size());
  std::string out(size, '\0');
  compress2(reinterpret_cast<Bytef*>(out.data()), &size,
            reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), level);
  return out.substr(0, size);
}

struct Picture {
  uint32_t width = 5, height = 4;
  int depth = 8, color = 2;
  bool is_interlaced = false;
  std::string before = "";  // chunks between header and pixels
  size_t piece = 1 << 20;   // bytes of pixels in a chunk

  int samples() const { return color == 2 ? 3 : color == 4 ? 2 : color == 6 ? 4 : 1; }
  size_t row() const { return (width * static_cast<size_t>(samples() * depth) + 7) / 8; }
};

std::string file_of(const Picture& p, const std::string& stream) {
  std::string out = "\x89PNG\r\n\x1a\n";
  std::string header = big_endian(p.width) + big_endian(p.height);
  for (const int one : {p.depth, p.color, 0, 0, p.is_interlaced ? 1 : 0}) {
    header += static_cast<char>(one);
  }
  out += chunk("IHDR", header) + p.before;
  for (size_t at = 0; at < stream.size(); at += p.piece) {
    out += chunk("IDAT", stream.substr(at, p.piece));
  }
  return out + chunk("IEND", "");
}

// Rows of any bytes at all: they are differences. Filters by turns, or always the same.
std::string random_rows(const Picture& p, int filter = -1) {
  std::mt19937 random(p.width * 31 + p.height);
  std::string out;
  for (uint32_t y = 0; y < p.height; ++y) {
    out += static_cast<char>(filter >= 0 ? filter : static_cast<int>(random() % 5));
    for (size_t i = 0; i < p.row(); ++i) {
      out += static_cast<char>(random() % 4 == 0 ? random() : random() % 3);
    }
  }
  return out;
}
std::string random_file(const Picture& p, int filter = -1) {
  return file_of(p, packed(random_rows(p, filter)));
}

std::string palette(size_t size) {
  std::string colors;
  for (size_t i = 0; i < 3 * size; ++i) colors += static_cast<char>(i * 37 + 5);
  return chunk("PLTE", colors);
}

// Pixels with their shape, or what is wrong.
std::string outcome(auto decode) {
  try {
    const Tensor pixels = decode();
    const std::vector<uint8_t> all = pixels.template to_vector<uint8_t>();
    return text(pixels.type(), " ", std::string(all.begin(), all.end()));
  } catch (const Error& error) {
    return error.what();
  }
}

void expect_as_libpng(const std::string& file, int64_t channels = 0) {
  EXPECT_EQ(outcome([&] { return decode_image(file, channels, "file"); }),
            outcome([&] { return decode_png_by_libpng(file, channels, "file"); }));
}
bool is_plain(const std::string& file, int64_t channels = 0) {
  return decode_plain_png(file, channels, "file").has_value();
}

struct Kind {
  int color, depth;
};
constexpr Kind kKinds[] = {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {2, 8}, {3, 1},
                           {3, 2}, {3, 4}, {3, 8}, {4, 8}, {6, 8}};

TEST(Png, HasThePixelsOfLibpng) {
  for (const auto& [color, depth] : kKinds) {
    for (const uint32_t width : {1, 2, 3, 7, 8, 9, 16, 33}) {
      for (const uint32_t height : {1, 2, 13}) {
        Picture p{width, height, depth, color};
        if (color == 3) p.before = palette(size_t{1} << depth);
        for (int filter = -1; filter <= 4; ++filter) {
          const std::string file = random_file(p, filter);
          for (const int64_t channels : {0, 1, 3, 4}) {
            SCOPED_TRACE(
                text(color, " ", depth, " ", width, " ", height, " ", filter, " ", channels));
            const bool turns_gray = channels == 1 && (color & 2) != 0;
            EXPECT_EQ(is_plain(file, channels), !turns_gray);
            expect_as_libpng(file, channels);
          }
        }
      }
    }
  }
}

// As the specification has it.
int paeth(int left, int above, int above_left) {
  const int p = left + above - above_left;
  const int a = std::abs(p - left), b = std::abs(p - above), c = std::abs(p - above_left);
  return a <= b && a <= c ? left : b <= c ? above : above_left;
}

TEST(Png, FiltersMeetAllNeighbours) {
  // Two pixels, the first of which becomes what it should be, and the second what is predicted.
  for (const int step : {1, 3}) {
    uint64_t wrong = 0;
    std::vector<uint8_t> above(8), file(8), row(8);
    for (int left = 0; left < 256; ++left) {
      for (int up = 0; up < 256; ++up) {
        for (int up_left = 0; up_left < 256; up_left += step) {
          file[0] = 4;
          for (int c = 0; c < step; ++c) {
            const auto at = static_cast<size_t>(c);
            above[at] = static_cast<uint8_t>(up_left + c);
            above[at + static_cast<size_t>(step)] = static_cast<uint8_t>(up);
            file[at + 1] = static_cast<uint8_t>(left - above[at]);
          }
          ASSERT_TRUE(unfilter_row(row.data(), file.data(), above.data(), 2 * step, step));
          for (int c = 0; c < step; ++c) {
            const auto at = static_cast<size_t>(c + step);
            wrong += row[at] != paeth(left, up, above[static_cast<size_t>(c)]) ? 1 : 0;
          }
        }
      }
    }
    EXPECT_EQ(wrong, 0u) << step;
  }
}

TEST(Png, WhatIsRareIsLeftToLibpng) {
  const auto expect_rare = [](const std::string& file) {
    EXPECT_FALSE(is_plain(file));
    for (const int64_t channels : {0, 1, 3, 4}) expect_as_libpng(file, channels);
  };
  for (const int color : {0, 2, 4, 6}) expect_rare(random_file({6, 5, 16, color}));
  expect_rare(random_file({.width = 1, .height = 1, .is_interlaced = true}));
  expect_rare(random_file({.before = chunk("tRNS", std::string(6, '\0'))}));
  expect_rare(random_file({.color = 0, .before = chunk("tRNS", std::string(2, '\1'))}));
  expect_rare(random_file({.before = chunk("prIv", "?")}));
  expect_rare(random_file({.color = 0, .before = palette(3)}));
  expect_rare(random_file({.depth = 3}));
  expect_rare(random_file({.depth = 4}));
  expect_rare(random_file({.color = 5}));
  expect_rare(random_file({.color = 3}));  // no palette
  expect_rare(random_file({.depth = 1, .color = 3, .before = palette(3)}));
  expect_rare(random_file({.color = 3, .before = palette(2)}));  // with fewer than are used
  expect_rare(random_file({.color = 3, .before = palette(256) + palette(256)}));
  expect_rare(random_file({.color = 3, .before = palette(256) + chunk("tRNS", "")}));
  expect_rare(random_file({.color = 3, .before = chunk("tRNS", "\1") + palette(256)}));
  expect_rare(random_file({}, 5));  // no such filter
}

TEST(Png, WhatFilesTellBesideTheirPixels) {
  const std::string others = chunk("gAMA", big_endian(100000)) + chunk("sRGB", std::string(1, 0)) +
                             chunk("iCCP", "no profile") + chunk("pHYs", std::string(9, 1)) +
                             chunk("tEXt", "Title\0word") + chunk("sBIT", "\5\6\5") +
                             chunk("bKGD", std::string(6, 2));
  for (const size_t piece : {1, 7, 1 << 20}) {
    const std::string file = random_file({.before = others, .piece = piece});
    EXPECT_TRUE(is_plain(file));
    expect_as_libpng(file);
  }
  const Picture suggests{.before = palette(9)};
  EXPECT_TRUE(is_plain(random_file(suggests)));
  expect_as_libpng(random_file(suggests));
  for (const size_t transparent : {1, 200, 256}) {
    const Picture p{.color = 3,
                    .before = palette(256) + chunk("tRNS", std::string(transparent, 'x'))};
    for (const int64_t channels : {0, 3, 4}) {
      EXPECT_TRUE(is_plain(random_file(p), channels));
      expect_as_libpng(random_file(p), channels);
    }
  }
}

using Pixels = std::vector<uint8_t>;

std::string rows_of(std::initializer_list<std::string> rows) {
  std::string out;
  for (const std::string& row : rows) out += std::string(1, '\0') + row;  // no filter
  return packed(out);
}
// By both readers, where ours reads it.
void expect_pixels(const std::string& file, int64_t channels, const Pixels& wanted) {
  EXPECT_EQ(decode_image(file, channels).to_vector<uint8_t>(), wanted);
  EXPECT_EQ(decode_png_by_libpng(file, channels, "").to_vector<uint8_t>(), wanted);
}

// Pixels by hand, as other readers have them: libpng's reader of whole images, for one, turns 4096
// of 65535 to 72.
TEST(Png, SixteenBitsAreTheirHighBytes) {
  const std::string gray = rows_of({std::string("\x10\xff\x40\x00\x80\x80", 6)});
  expect_pixels(file_of({3, 1, 16, 0}, gray), 0, {16, 64, 128});
  expect_pixels(file_of({3, 1, 16, 0}, gray), 3, {16, 16, 16, 64, 64, 64, 128, 128, 128});
  const std::string color = rows_of({std::string("\x01\x00\x02\x00\x03\xff", 6)});
  expect_pixels(file_of({1, 1, 16, 2}, color), 0, {1, 2, 3});
  expect_pixels(file_of({1, 1, 16, 2}, color), 4, {1, 2, 3, 255});
  const std::string alpha = rows_of({std::string("\x64\x00\x32\x00", 4)});
  expect_pixels(file_of({1, 1, 16, 4}, alpha), 0, {100, 100, 100, 50});
  expect_pixels(file_of({1, 1, 16, 4}, alpha), 1, {100});
  const std::string all = rows_of({std::string("\x01\x09\x02\x09\x03\x09\x04\x09", 8)});
  expect_pixels(file_of({1, 1, 16, 6}, all), 0, {1, 2, 3, 4});
  expect_pixels(file_of({1, 1, 16, 6}, all), 3, {1, 2, 3});
}

TEST(Png, GammaAndProfilesChangeNothing) {
  for (const std::string& before :
       {chunk("gAMA", big_endian(100000)), chunk("gAMA", big_endian(45455)), chunk("gAMA", "?"),
        chunk("iCCP", "none"), chunk("sRGB", std::string(1, 0))}) {
    expect_pixels(file_of({3, 1, 8, 0, false, before}, rows_of({"\x10\x40\x80"})), 0,
                  {16, 64, 128});
    expect_pixels(file_of({1, 1, 16, 0, false, before}, rows_of({std::string("\x40\x00", 2)})), 0,
                  {64});
    expect_pixels(file_of({1, 1, 8, 2, false, before}, rows_of({"\xff\x80\x20"})), 1, {155});
  }
}

TEST(Png, ColorsTurnedToGrayAreTheirLuma) {
  const std::string rows = rows_of({std::string("\xff\0\0\0\xff\0\0\0\xff\x07\x07\x07", 12)});
  expect_pixels(file_of({4, 1, 8, 2}, rows), 1, {76, 150, 29, 7});
}

TEST(Png, FewBitsPalettesAndTransparentColors) {
  expect_pixels(file_of({4, 1, 1, 0}, rows_of({"\xa0"})), 0, {255, 0, 255, 0});
  expect_pixels(file_of({4, 1, 2, 0}, rows_of({"\x1b"})), 0, {0, 85, 170, 255});
  expect_pixels(file_of({2, 1, 4, 0}, rows_of({"\x3f"})), 0, {51, 255});
  const std::string colors = chunk("PLTE", "\1\2\3\4\5\6\7\10\11");
  expect_pixels(file_of({3, 1, 2, 3, false, colors}, rows_of({"\x84"})), 0,
                {7, 8, 9, 1, 2, 3, 4, 5, 6});
  const std::string clear = colors + chunk("tRNS", "\x20");  // of the first
  expect_pixels(file_of({2, 1, 2, 3, false, clear}, rows_of({std::string("\x10", 1)})), 0,
                {1, 2, 3, 32, 4, 5, 6, 255});
  expect_pixels(file_of({2, 1, 2, 3, false, clear}, rows_of({std::string("\x10", 1)})), 3,
                {1, 2, 3, 4, 5, 6});
  const std::string gray = chunk("tRNS", std::string("\0\x05", 2));
  expect_pixels(file_of({2, 1, 8, 0, false, gray}, rows_of({"\5\6"})), 0,
                {5, 5, 5, 0, 6, 6, 6, 255});
  expect_pixels(file_of({2, 1, 8, 0, false, gray}, rows_of({"\5\6"})), 1, {5, 6});
  // Of 16 bits both bytes count.
  const std::string deep = chunk("tRNS", std::string("\x10\x01", 2));
  expect_pixels(file_of({2, 1, 16, 0, false, deep}, rows_of({"\x10\x01\x10\x02"})), 4,
                {16, 16, 16, 0, 16, 16, 16, 255});
}

TEST(Png, InterlacedRowsFindTheirPlaces) {
  // 3 x 3 by Adam7: (0,0); then the columns 2 of row 0; row 2 with columns 0, 2; column 1 of rows 0
  // and 2; row 1.
  const std::string passes = rows_of({"\1", "\3", "\7\11", "\2", "\10", "\4\5\6"});
  expect_pixels(file_of({3, 3, 8, 0, true}, passes), 0, {1, 2, 3, 4, 5, 6, 7, 8, 9});
}

TEST(Png, DamageIsWhatItIsToLibpng) {
  for (const Picture& p : {Picture{}, Picture{.depth = 4, .color = 3, .before = palette(16)},
                           Picture{.color = 6, .piece = 20}}) {
    const std::string file = random_file(p);
    ASSERT_TRUE(is_plain(file));
    for (size_t length = 8; length < file.size(); ++length) {
      SCOPED_TRACE(length);
      expect_as_libpng(file.substr(0, length));
    }
    for (size_t at = 8; at < file.size(); ++at) {
      SCOPED_TRACE(at);
      std::string other = file;
      other[at] = static_cast<char>(other[at] ^ 1 << at % 8);
      expect_as_libpng(other);
    }
    // The same with the right checksum around it.
    const std::string stream = packed(random_rows(p));
    for (size_t at = 0; at < stream.size(); ++at) {
      SCOPED_TRACE(at);
      std::string other = stream;
      other[at] = static_cast<char>(other[at] ^ 1 << at % 8);
      expect_as_libpng(file_of(p, other));
    }
    expect_as_libpng(file_of(p, stream + "more"));
    expect_as_libpng(file_of(p, packed(random_rows(p) + "more")));
    expect_as_libpng(file_of(p, packed(random_rows(p).substr(1))));
  }
}

TEST(Png, NothingIsTakenFromBeforeTheWindow) {
  const Picture p{.width = 100, .height = 20};
  const std::string row = random_rows({.width = 100, .height = 1}, 0);
  std::string rows;
  for (uint32_t y = 0; y < p.height; ++y) rows += row;  // taken from 301 bytes before
  std::string stream = packed(rows);
  stream[0] = 0x08;  // 256 bytes
  stream[1] = static_cast<char>(31 - 0x0800 % 31);
  EXPECT_FALSE(is_plain(file_of(p, stream)));
  expect_as_libpng(file_of(p, stream));
}

TEST(Png, ClaimsAreNotBelieved) {
  const Picture p{.width = 900'000, .height = 900'000};
  const std::string file = file_of(p, packed("abc"));
  EXPECT_EQ(outcome([&] { return decode_image(file, 0, "a.png"); }),
            text("decode_image: a.png claims 900000 x 900000 pixels in ", file.size(),
                 " bytes; no image is so well packed [decode_image.size]"));
}

}  // namespace
}  // namespace weft::data
