// Files: what they hold, where errors are, and that passes go on in the middle of them.
#include "weft/data/sources.h"

#include <png.h>
#include <zlib.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "weft/base/file.h"
#include "weft/data/test_data.h"
#include "weft/data/tfrecord.h"
#include "weft/io/npy/npy.h"
#include "weft/io/npz/npz.h"
#include "weft/weft.h"

namespace weft::data {
namespace {

class FilesTest : public testing::Test {
 protected:
  FilesTest()
      : folder_(std::filesystem::path(testing::TempDir()) /
                text("weft_data_", testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~FilesTest() override { std::filesystem::remove_all(folder_); }

  std::string written(const std::string& name, std::string_view bytes) const {
    const std::filesystem::path path = folder_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
    return path.string();
  }
  std::string folder() const { return folder_.string(); }

 private:
  const std::filesystem::path folder_;
};

std::vector<std::string> texts_of(const Dataset& dataset) {
  std::vector<std::string> out;
  for (const Element& e : dataset) out.push_back(e.text());
  return out;
}

TEST_F(FilesTest, TextLines) {
  const std::string a = written("a.txt", "one\ntwo\r\n\nlast"), b = written("b.txt", "b\n");
  EXPECT_EQ(texts_of(text_lines({a, b})),
            (std::vector<std::string>{"one", "two", "", "last", "b"}));
  expect_resumes([&] { return text_lines({a, b}); });
  expect_resumes([&] { return text_lines({a, b}).prefetch(2); });
  Iterator iterator = text_lines({a, b}).iterator();
  Element element;
  iterator.next(element), iterator.next(element);
  EXPECT_EQ(to_string(*element.origin), a + ", line 2, offset 4");
  EXPECT_EQ(error_of([&] { all_of(text_lines({folder() + "/none"})); }),
            "text_lines: cannot read '" + folder() +
                "/none': No such file or directory; give the path of a file that can be read "
                "[text_lines.file]\n  after 0 elements of the dataset");
}

std::string packed(const std::string& bytes) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, bytes.size()) + 32, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

TEST_F(FilesTest, PackedTextsAreUnpacked) {
  // The second is two that were joined.
  const std::string a = written("a.txt.gz", packed("one\ntwo\n")),
                    b = written("b", packed("three\nfo") + packed("ur"));
  EXPECT_EQ(texts_of(text_lines({a, b})),
            (std::vector<std::string>{"one", "two", "three", "four"}));
  expect_resumes([&] { return text_lines({a, b}); });
  const std::string table = written("c.csv.gz", packed("x,y\n1,2\n3,4\n"));
  EXPECT_EQ(all_of(csv({table})), (Numbers{{1, 2}, {3, 4}}));
  expect_resumes([&] { return csv({table}); });
  const std::string broken = written("d.gz", packed("one\ntwo\n").substr(0, 15));
  EXPECT_EQ(error_of([&] { all_of(text_lines({broken})); }),
            "text_lines: " + broken + " cannot be unpacked: it ends too early [text_lines.gzip]\n" +
                "  after 0 elements of the dataset");
}

TEST_F(FilesTest, Csv) {
  const std::string path =
      written("a.csv", "x,name,y\n1,\"a, \"\"b\"\"\",0.5\n2,\"two\nlines\",\n\n3,c,1e3\n");
  Iterator iterator = csv({path}).iterator();
  Element element;
  ASSERT_TRUE(iterator.next(element));
  EXPECT_EQ(to_string(*element.form), "{\"x\": *, \"name\": *, \"y\": *}");
  EXPECT_EQ(element[0].dtype(), DType::kI64);
  EXPECT_EQ(element.leaves[1].texts->texts[0], "a, \"b\"");
  EXPECT_EQ(element[2].item(), 0.5);
  ASSERT_TRUE(iterator.next(element));
  EXPECT_EQ(element.leaves[1].texts->texts[0], "two\nlines");
  EXPECT_TRUE(std::isnan(element[2].item()));
  ASSERT_TRUE(iterator.next(element));
  EXPECT_EQ(to_string(*element.origin), path + ", line 6, offset 42");
  EXPECT_FALSE(iterator.next(element));
  expect_resumes([&] { return csv({path}, {.names = {"x"}}); });
  EXPECT_EQ(all_of(csv({path}, {.names = {"x"}, .types = {"float32"}}).batch(3)),
            (Numbers{{1, 2, 3}}));
  const std::string marked = written("marked.csv", "\xef\xbb\xbfx,y\n1,2\n");
  EXPECT_EQ(all_of(csv({marked}, {.names = {"x", "y"}})), (Numbers{{1, 2}}));
  expect_resumes([&] { return csv({marked}); });
  const std::string twice = written("twice.csv", "x,y,x\n1,2,3\n");
  EXPECT_EQ(error_of([&] { csv({twice}); }),
            "csv: there are two columns 'x' in " + twice + "; rename one of them [csv.names]");
  EXPECT_EQ(all_of(csv({twice}, {.names = {"y"}})), (Numbers{{2}}));
  const std::string empty = written("empty.csv", "");
  EXPECT_EQ(error_of([&] { csv({empty}); }),
            "csv: " + empty +
                " is empty; its first line is to have the names of the columns [csv.header]");
}

TEST_F(FilesTest, CsvErrorsNameTheLineAndAreSkipped) {
  const std::string path = written("a.csv", "1,2\n3\n4,x\n5,6\n7,\"8\n");
  const CsvOptions options{.header = false, .types = {"int64", "int64"}};
  Iterator iterator = csv({path}, options).iterator();
  Element element;
  iterator.next(element);
  EXPECT_EQ(error_of([&] { iterator.next(element); }),
            "csv: " + path +
                ", line 2, offset 4, has 1 fields but there are 2 columns [csv.fields]\n"
                "  after 1 elements of the dataset");
  EXPECT_EQ(error_of([&] { iterator.next(element); }),
            "csv: " + path +
                ", line 3, offset 6, column 1 is 'x', which is no int64; types= says what "
                "the columns hold [csv.value]\n  after 1 elements of the dataset");
  ASSERT_TRUE(iterator.next(element));
  EXPECT_EQ(error_of([&] { iterator.next(element); }),
            "csv: " + path +
                ", line 5, offset 14, has a quote that is not closed [csv.quote]\n"
                "  after 2 elements of the dataset");
  EXPECT_FALSE(iterator.next(element));
  EXPECT_EQ(all_of(csv({path}, options).ignore_errors()), (Numbers{{1, 2}, {5, 6}}));
  EXPECT_EQ(error_of([&] { csv({path}, {.header = false, .types = {"int99", "text"}}); }),
            "csv: types has 'int99'; it is a dtype, or 'text' [csv.types]");
  const std::string named = written("b.csv", "a,b\n1,2\n");
  EXPECT_EQ(error_of([&] { csv({named}, {.names = {"c"}}); }),
            "csv: there is no column 'c' in " + named + "; it has [a, b] [csv.names]");
}

TEST_F(FilesTest, Idx) {
  using namespace std::string_literals;
  const std::string path = written("a", "\0\0\x0C\x02\0\0\0\x02\0\0\0\x01\0\0\1\0\0\0\0\5"s);
  const Tensor t = read_idx(path);
  EXPECT_EQ(text(t.type()), "i32[2, 1]");
  EXPECT_EQ(t.to_vector<int32_t>(), (std::vector<int32_t>{256, 5}));
  EXPECT_EQ(idx({path, path}).cardinality(), 2);
  const std::string large = written("b", "\0\0\x08\x02\xff\xff\xff\xff\xff\xff\xff\xff"s);
  EXPECT_EQ(error_of([&] { read_idx(large); }),
            "idx: " + large +
                " holds 0 bytes of elements but u8[4294967295, 4294967295] needs "
                "18446744065119617025 [idx.file]");
  const std::string none = written("c", "text");
  EXPECT_EQ(error_of([&] { read_idx(none); }), "idx: " + none + " is no IDX file [idx.file]");
}

std::string npy_of(const Tensor& tensor) {
  StringSink out;
  io::write_npy(out, tensor);
  return out.take();
}

Tensor numbers(DType dtype, const Shape& shape) {
  return cast(reshape(arange(0, num_elements(shape).value(), 1), shape), dtype);
}

TEST_F(FilesTest, NpyRowsAreReadByNumber) {
  const std::string x = written("x.npy", npy_of(numbers(DType::kF32, {5, 2})));
  const std::string y = written("y.npy", npy_of(numbers(DType::kI64, {5})));
  const Dataset both = npy({x, y});
  EXPECT_EQ(both.cardinality(), 5);
  EXPECT_EQ(to_string(both), "npy(" + x + ": float32[5, 2], " + y + ": int64[5])");
  EXPECT_EQ(both.spec().leaves[0].shape, Shape{2});
  EXPECT_EQ(all_of(both), (Numbers{{0, 1, 0}, {2, 3, 1}, {4, 5, 2}, {6, 7, 3}, {8, 9, 4}}));
  EXPECT_EQ(all_of(npy({x}).batch(3)), (Numbers{{0, 1, 2, 3, 4, 5}, {6, 7, 8, 9}}));
  // Exactly as the same arrays in memory are shuffled, and resumed in the middle.
  const auto shuffled = [](const Dataset& all) { return all.shuffle(5, {.seed = 3}).batch(2); };
  EXPECT_EQ(all_of(shuffled(both)),
            all_of(shuffled(Dataset::from_tensor_slices(
                {numbers(DType::kF32, {5, 2}), numbers(DType::kI64, {5})}))));
  expect_resumes([&] { return shuffled(npy({x, y})); });
  expect_resumes([&] { return npy({x, y}).prefetch(2); });
  Iterator iterator = npy({x, y}).iterator();
  Element element;
  iterator.next(element), iterator.next(element);
  EXPECT_EQ(to_string(*element.origin), x + ", offset 136");
  EXPECT_EQ(npy({written("none.npy", npy_of(zeros({0, 3})))}).cardinality(), 0);
  EXPECT_EQ(all_of(npy({written("empty.npy", npy_of(zeros({2, 0})))})), (Numbers{{}, {}}));
}

// The other order of bytes, the other order of axes, and flags that are neither 0 nor 1.
TEST_F(FilesTest, NpyRowsOfOtherMachines) {
  using namespace std::string_literals;
  const auto with = [](const Tensor& like, std::string_view from, std::string_view to,
                       std::string_view bytes) {
    std::string out = npy_of(like);
    out.replace(out.find(from), from.size(), to);
    return out.replace(out.size() - bytes.size(), bytes.size(), bytes);
  };
  EXPECT_EQ(all_of(npy({written("swapped.npy", with(zeros({2, 1}, DType::kI32), "<i4", ">i4",
                                                    "\0\0\1\0\0\0\0\5"s))})),
            (Numbers{{256}, {5}}));
  EXPECT_EQ(
      all_of(npy({written("flags.npy", with(zeros({2}, DType::kBool), "|b1", "|b1", "\0\7"s))})),
      (Numbers{{0}, {1}}));
  const std::string fortran =
      written("fortran.npy", with(zeros({2, 3}, DType::kU8), "'fortran_order': False",
                                  "'fortran_order': True ", "\1\4\2\5\3\6"s));
  EXPECT_EQ(all_of(npy({fortran})), (Numbers{{1, 2, 3}, {4, 5, 6}}));
  expect_resumes([&] { return npy({fortran, fortran}).shuffle(2, {.seed = 1}); });
}

TEST_F(FilesTest, NpyErrorsNameTheFile) {
  const std::string x = written("x.npy", npy_of(numbers(DType::kF32, {5, 2})));
  const std::string y = written("y.npy", npy_of(numbers(DType::kI64, {4})));
  const std::string one = written("one.npy", npy_of(Tensor::scalar(DType::kF32, 1)));
  EXPECT_EQ(error_of([&] { npy({x, y}); }),
            "npy: '" + y + "' has 4 rows but '" + x +
                "' has 5; arrays side by side have as many [npy.axis]");
  EXPECT_EQ(error_of([&] { npy({one}); }),
            "npy: '" + one + "' is float32[]; rows lie along a first axis [npy.axis]");
  EXPECT_EQ(error_of([&] { npy({}); }), "npy: needs at least one path [npy.paths]");
  const std::string cut = written("cut.npy", npy_of(zeros({5, 2})).substr(0, 150));
  EXPECT_EQ(
      error_of([&] { npy({cut}); }),
      "npy: '" + cut +
          "' has 22 bytes for elements of float32 and the shape [5, 2]; it is damaged, or no npy "
          "file [npy.npy]");
}

TEST_F(FilesTest, NpzRowsAreDicts) {
  StringSink bytes;
  io::write_npz(bytes,
                {{"x", numbers(DType::kF32, {3, 2})},
                 {"y", numbers(DType::kU8, {3})},
                 {"x_test", zeros({1, 2})}},
                true);
  const std::string path = written("a.npz", bytes.text());
  const Dataset rows = npz(path, {"y", "x"});
  EXPECT_EQ(to_string(*rows.spec().form), "{\"y\": *, \"x\": *}");
  EXPECT_EQ(all_of(rows), (Numbers{{0, 0, 1}, {1, 2, 3}, {2, 4, 5}}));
  expect_resumes([&] { return npz(path, {"x", "y"}).shuffle(3, {.seed = 5}).batch(2); });
  EXPECT_EQ(error_of([&] { npz(path); }),
            "npz: 'x_test' has 1 rows but 'y' has 3; arrays side by side have as many [npz.axis]");
  EXPECT_EQ(
      error_of([&] { npz(path, {"z"}); }),
      "npz: '" + path + "' has no array 'z'; without names= all that it has are read [npz.names]");
}

// Records longer than the pieces in which files are read.
TEST_F(FilesTest, LongRecords) {
  const std::string first(200'000, 'a'), second(70'000, 'b');
  const std::string lines = written("a.txt", first + "\n\n" + second);
  EXPECT_EQ(texts_of(text_lines({lines})), (std::vector<std::string>{first, "", second}));
  const std::string table = written(
      "a.csv", "x,name\n1,\"" + first + "\n\"\"\"\n2," + second + "\r\n\r\n3,\"open" + first);
  Iterator iterator = csv({table}).iterator();
  Element element;
  ASSERT_TRUE(iterator.next(element));
  EXPECT_EQ(element.leaves[1].texts->texts[0], first + "\n\"");
  ASSERT_TRUE(iterator.next(element));
  EXPECT_EQ(element.leaves[1].texts->texts[0], second);
  EXPECT_EQ(error_of([&] { iterator.next(element); }),
            "csv: " + table +
                ", line 6, offset 270021, has a quote that is not closed [csv.quote]\n"
                "  after 2 elements of the dataset");
}

std::string record(std::string_view bytes) {
  std::string out;
  const uint64_t length = bytes.size();
  const auto raw = [](const auto& value) {
    return std::string_view(reinterpret_cast<const char*>(&value), sizeof value);
  };
  out += raw(length);
  out += raw(masked_crc32c(bytes_in(raw(length))));
  out += bytes;
  return out += raw(masked_crc32c(bytes_in(bytes)));
}

// A field of bytes.
std::string message(int number, const std::string& bytes) {
  return std::string(1, static_cast<char>(number << 3 | 2)) +
         std::string(1, static_cast<char>(bytes.size())) + bytes;
}

std::string example() {
  using namespace std::string_literals;
  const auto feature = [](const std::string& name, const std::string& list) {
    return message(1, message(1, name) + message(2, list));
  };
  const std::string features = feature("n", message(3, message(1, "\x07\x96\x01"s))) +
                               feature("x", message(2, message(1, "\0\0\x80\x3f\0\0\0\x40"s))) +
                               feature("t", message(1, message(1, "hi")));
  return message(1, features);
}

TEST_F(FilesTest, TfRecordAndExamples) {
  const std::string good = record("first") + record("") + record("third");
  const std::string path = written("a", good);
  EXPECT_EQ(all_of(tfrecord({path}).map([](const Element& e) {
              return Element(std::string(static_cast<const char*>(e[0].data()),
                                         static_cast<size_t>(e[0].numel())));
            })),
            (Numbers{{5}, {0}, {5}}));
  expect_resumes([&] { return tfrecord({path}); });
  std::string damaged = good;
  damaged[12] ^= 1;
  const std::string bad = written("b", damaged + good.substr(0, 10));
  Iterator iterator = tfrecord({bad}).iterator();
  Element element;
  EXPECT_EQ(error_of([&] { iterator.next(element); }),
            "tfrecord: " + bad +
                ", offset 0, has a record whose checksum is wrong "
                "[tfrecord.checksum]\n  after 0 elements of the dataset");
  EXPECT_TRUE(iterator.next(element));
  EXPECT_TRUE(iterator.next(element));
  EXPECT_EQ(error_of([&] { iterator.next(element); }),
            "tfrecord: " + bad +
                ", offset 66, needs 4 bytes but the file ends after 2 "
                "[tfrecord.end]\n  after 2 elements of the dataset");
  EXPECT_FALSE(iterator.next(element));

  const std::string bytes = example();
  const Tensor whole = Tensor::from_bytes(DType::kU8, Shape{static_cast<int64_t>(bytes.size())},
                                          std::as_bytes(std::span(bytes)));
  const Element all = parse_example(whole);
  EXPECT_EQ(to_string(*all.form), "{\"n\": *, \"t\": *, \"x\": *}");
  EXPECT_EQ(all[0].to_vector<int64_t>(), (std::vector<int64_t>{7, 150}));
  EXPECT_EQ(all.leaves[1].texts->texts[0], "hi");
  const Feature wanted[] = {{"x", Shape{2, 1}}, {"z", {}, tensor(1.0f)}};
  const Element some = parse_example(whole, wanted);
  EXPECT_EQ(text(some[0].type()), "f32[2, 1]");
  EXPECT_EQ(some[1].item(), 1.0);
  EXPECT_EQ(error_of([&] { parse_example(whole, std::vector<Feature>{{"x", Shape{3}}}); }),
            "parse_example: the feature 'x' has 2 values but [3] needs 3 [parse_example.shape]");
  EXPECT_EQ(error_of([&] { parse_example(whole, std::vector<Feature>{{"q"}}); }),
            "parse_example: the record has no feature 'q'; give a value for records that lack it "
            "[parse_example.missing]");
}

// Whoever reads a file that another program shortens gets an error, and goes on with the next file.
TEST_F(FilesTest, FilesThatAreShortenedWhileTheyAreRead) {
  const auto expect_error = [&](const std::string& path,
                                const std::function<Dataset(const std::string&)>& open,
                                const std::string& wrong) {
    Iterator iterator = open(path).iterator();
    Element element;
    ASSERT_TRUE(iterator.next(element)) << path;
    std::filesystem::resize_file(path, 100);
    const std::string error = error_of([&] {
      while (iterator.next(element)) {
      }
    });
    EXPECT_NE(error.find("'" + path + "' ends "), std::string::npos) << error;
    EXPECT_NE(error.find("; it was shortened while it was read " + wrong), std::string::npos)
        << error;
  };
  const std::string lines(300'000, '\n'), body(50'000, 'x');
  expect_error(
      written("a.txt", lines), [](auto& path) { return text_lines({path}); }, "[text_lines.end]");
  std::string table = "x\n";
  for (int i = 0; i < 100'000; ++i) table += "1\n";
  expect_error(written("a.csv", table), [](auto& path) { return csv({path}); }, "[csv.end]");
  const std::string large = record(body + body), records = record(body) + record(body) + large;
  expect_error(
      written("a", records), [](auto& path) { return tfrecord({path}); }, "[tfrecord.end]");
  expect_error(
      written("a.npy", npy_of(zeros({10, 1000}))), [](auto& path) { return npy({path}); },
      "[npy.end]");
  const auto cached = [](const std::string& path) {
    return Dataset::range(100)
        .map([](const Element&) { return Element(zeros({1000})); })
        .cache(path);
  };
  const std::string cache = folder() + "/cache";
  all_of(cached(cache));
  expect_error(cache, cached, "[cache.end]");

  const std::string cut = written("b.txt", lines), whole = written("c.txt", "c\n");
  Iterator iterator = text_lines({cut, whole}).ignore_errors().iterator();
  Element element;
  ASSERT_TRUE(iterator.next(element));
  std::filesystem::resize_file(cut, 100);
  std::string last;
  while (iterator.next(element)) last = element.text();
  EXPECT_EQ(last, "c");
  EXPECT_EQ(iterator.skipped(), 1);
}

std::string png_of(uint32_t width, uint32_t height, uint32_t format,
                   const std::vector<unsigned char>& pixels) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = width;
  image.height = height;
  image.format = format;
  png_alloc_size_t size = 0;
  png_image_write_to_memory(&image, nullptr, &size, 0, pixels.data(), 0, nullptr);
  std::string out(size, '\0');
  png_image_write_to_memory(&image, out.data(), &size, 0, pixels.data(), 0, nullptr);
  return out.substr(0, size);
}

TEST_F(FilesTest, Images) {
  const std::string rgba = png_of(2, 1, PNG_FORMAT_RGBA, {1, 2, 3, 255, 4, 5, 6, 0});
  EXPECT_EQ(text(decode_image(rgba).type()), "u8[1, 2, 4]");
  EXPECT_EQ(decode_image(rgba, 3).to_vector<uint8_t>(), (std::vector<uint8_t>{1, 2, 3, 4, 5, 6}));
  const std::string gray = png_of(2, 2, PNG_FORMAT_GRAY, {0, 50, 100, 200});
  EXPECT_EQ(decode_image(gray).to_vector<uint8_t>(), (std::vector<uint8_t>{0, 50, 100, 200}));
  EXPECT_EQ(decode_image(gray, 3).to_vector<uint8_t>(),
            (std::vector<uint8_t>{0, 0, 0, 50, 50, 50, 100, 100, 100, 200, 200, 200}));
  EXPECT_EQ(error_of([] { decode_image("GIF89a", 0, "a.gif"); }),
            "decode_image: a.gif is neither PNG nor JPEG [decode_image.image]");
  EXPECT_EQ(error_of([&] { decode_image(rgba.substr(0, 50), 0, "a.png"); }).substr(0, 41),
            "decode_image: a.png cannot be read: read ");
  EXPECT_EQ(error_of([&] { decode_image(rgba, 2); }),
            "decode_image: channels is 2; it is 1, 3 or 4, or 0 for those of the file "
            "[decode_image.channels]");
}

TEST_F(FilesTest, ImagesAreWritten) {
  const std::vector<uint8_t> bytes{0, 50, 100, 200, 250, 255, 1, 2, 3, 4, 5, 6};
  for (const Shape& shape : {Shape{3, 4, 1}, Shape{2, 2, 3}, Shape{1, 3, 4}}) {
    const Tensor pixels = tensor(bytes, shape);
    const Tensor back = decode_image(encode_png(pixels));
    EXPECT_EQ(text(back.type()), text(pixels.type()));
    EXPECT_EQ(back.to_vector<uint8_t>(), bytes);
  }
  const std::string path = folder() + "/a.png";
  write_png(path, tensor(bytes, {4, 3}));
  write_png(path, swapaxes(tensor(bytes, {3, 4}), 0, 1));  // over it, from a view
  EXPECT_EQ(read_image(path).to_vector<uint8_t>(),
            (std::vector<uint8_t>{0, 250, 3, 50, 255, 4, 100, 1, 5, 200, 2, 6}));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder()), {}), 1);
  EXPECT_EQ(error_of([] { encode_png(zeros({2, 2})); }),
            "encode_png: pixels are f32[2, 2]; they are u8[height, width] or u8[height, width, "
            "channels] with 1, 3 or 4 channels [encode_png.pixels]");
  EXPECT_EQ(error_of([&] { write_png(path, zeros({2, 2, 2}, DType::kU8)); }).substr(0, 32),
            "encode_png: pixels are u8[2, 2, ");
  EXPECT_EQ(read_image(path).numel(), 12);  // what was there is left alone
  EXPECT_EQ(
      error_of([&] { write_png(folder() + "/none/a.png", tensor(bytes, {4, 3})); }),
      text("write_png: cannot write '", folder(),
           "/none/a.png': No such file or directory; give a path in a folder that exists, can "
           "be written to and has room"));
}

TEST_F(FilesTest, ImageFolders) {
  for (unsigned char i = 0; i < 6; ++i) {
    written(text(i % 2 == 0 ? "cat" : "dog", "/", i, ".png"), png_of(1, 1, PNG_FORMAT_GRAY, {i}));
  }
  std::filesystem::create_directory(folder() + "/.cache");  // some program's: no class
  EXPECT_EQ(class_names(folder()), (std::vector<std::string>{"cat", "dog"}));
  const auto make = [&](int workers) {
    return image_folder(folder(), {.channels = 1, .num_parallel_calls = workers})
        .shuffle(6, {.seed = 1});
  };
  EXPECT_EQ(all_of(image_folder(folder(), {.channels = 1}).batch(6)),
            (Numbers{{0, 2, 4, 1, 3, 5, 0, 0, 0, 1, 1, 1}}));
  EXPECT_EQ(all_of(make(2).batch(2)), all_of(make(0).batch(2)));
  expect_resumes([&] { return make(0); });
  expect_resumes([&] { return make(2).batch(2); });
  written("cat/9.png", "no image");
  Iterator iterator =
      image_folder(folder(), {.channels = 1, .num_parallel_calls = 2}).ignore_errors().iterator();
  EXPECT_EQ(rest_of(iterator).size(), 6u);
  EXPECT_EQ(iterator.skipped(), 1);
}

TEST_F(FilesTest, CachesInFiles) {
  const std::string path = folder() + "/cache";
  int calls = 0;
  const auto make = [&] {
    return Dataset::range(6)
        .map([&](const Element& e) {
          ++calls;
          return Element({e[0], e[0]});
        })
        .cache(path);
  };
  const Numbers first = all_of(make());
  EXPECT_EQ(all_of(make()), first);
  EXPECT_EQ(calls, 6);
  EXPECT_FALSE(std::filesystem::exists(path + ".tmp"));
  expect_resumes(make);
  std::string bytes = read_file(path);
  bytes[bytes.size() / 2] ^= 1;
  written("cache", bytes);
  EXPECT_NE(error_of([&] { all_of(make()); }).find("cache: "), std::string::npos);
  written("cache", "something else");
  EXPECT_EQ(error_of([&] { all_of(make()); }),
            "cache: " + path + ", offset 0, needs 16 bytes but the file ends after 14 [cache.end]");
}

TEST_F(FilesTest, LoadDatasetSaysHowToGetWhatIsAbsent) {
  EXPECT_EQ(
      error_of([&] { load_dataset("mnist", {.folder = folder()}); }),
      "load_dataset: mnist is not here (searched: " + folder() + "/, " + folder() + "/mnist, " +
          folder() + "/mnist-idx, " + folder() +
          "/MNIST/raw); give the folder that has the four IDX files of MNIST, packed by gzip or "
          "not, by folder= or the environment variable WEFT_DATA [load_dataset.files]");
  EXPECT_EQ(
      error_of([] { load_dataset("cifar"); }),
      "load_dataset: there is no dataset 'cifar'; there are digits, mnist, fashion_mnist, names, "
      "shakespeare [load_dataset.name]");
  written("names.txt", "emma\nolivia\n");
  EXPECT_EQ(texts_of(load_dataset("names", {.folder = folder()})),
            (std::vector<std::string>{"emma", "olivia"}));
  std::string rows;
  for (int i = 0; i < 5; ++i) {
    for (int k = 0; k < 64; ++k) rows += "1,";
    rows += text(i, "\n");
  }
  written("digits.csv.gz", rows);
  EXPECT_EQ(load_dataset("digits", {.folder = folder()}).cardinality(), 4);
  EXPECT_EQ(load_dataset("digits", {.folder = folder(), .split = "test"}).cardinality(), 1);
  written("tinyshakespeare/input.txt", "First Citizen:\nSpeak.\n");
  EXPECT_EQ(texts_of(load_dataset("shakespeare", {.folder = folder()})),
            (std::vector<std::string>{"First Citizen:\nSpeak.\n"}));

  // What scikit-learn brings is found in the environment that is active.
  const char* const before = std::getenv("VIRTUAL_ENV");
  const std::string active = before != nullptr ? before : "";
  const std::string packages = folder() + "/lib/python3.99/site-packages/sklearn/datasets/data";
  std::filesystem::create_directories(packages);
  std::filesystem::rename(folder() + "/digits.csv.gz", packages + "/digits.csv.gz");
  setenv("VIRTUAL_ENV", folder().c_str(), 1);
  EXPECT_EQ(load_dataset("digits").cardinality(), 4);
  if (before != nullptr) {
    setenv("VIRTUAL_ENV", active.c_str(), 1);
  } else {
    unsetenv("VIRTUAL_ENV");
  }
}

}  // namespace
}  // namespace weft::data
