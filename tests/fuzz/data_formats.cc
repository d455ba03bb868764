// Samples and readers of IDX, CSV, TFRecord, tf.Example, npy and npz by rows, PNG,
// JPEG, gzip and stored elements.
#include "tests/fuzz/formats.h"

#include <cstdio>
#include <cstring>
#include <fstream>

#include <jpeglib.h>
#include <png.h>
#include <unistd.h>
#include <zlib.h>

#include "weft/data/gzip.h"
#include "weft/data/idx.h"
#include "weft/data/image.h"
#include "weft/data/state.h"
#include "weft/data/tfrecord.h"
#include "weft/io/npy/npy.h"
#include "weft/io/npz/npz.h"
#include "weft/weft.h"

namespace weft::fuzz {
namespace {

using namespace std::string_literals;
using data::Element;

// Readers of whole files are given one.
void read_as_file(std::span<const std::byte> bytes,
                  data::Dataset (*open)(const std::string& path)) {
  static const std::string path = "fuzz_file_" + std::to_string(::getpid());
  {
    std::ofstream(path, std::ios::binary) << text_in(bytes);
  }
  const struct Removed {
    ~Removed() { std::remove(path.c_str()); }
  } removed;
  data::Iterator iterator = open(path).ignore_errors().iterator();
  for (Element element; iterator.next(element);) element.bytes();
}

std::vector<std::string> idx_samples() {
  return {"\0\0\x08\x02\0\0\0\x02\0\0\0\x03"s + "abcdef",
          "\0\0\x0E\x01\0\0\0\x01"s + "\0\0\0\0\0\0\xf0\x3f"s};
}
void read_idx(std::span<const std::byte> bytes) { data::parse_idx(MemorySource(bytes, "file")); }

std::vector<std::string> csv_samples() {
  return {"x,name,y\n1,\"a, \"\"b\"\"\",0.5\n2,\"two\nlines\",\n\n3,c,1e3\n", "a\n1\n-2\r\n"};
}
void read_csv(std::span<const std::byte> bytes) {
  read_as_file(bytes, [](const std::string& path) { return data::csv({path}); });
}

std::vector<std::string> npy_samples() {
  std::vector<std::string> out;
  for (const Tensor& value : {ones({2, 3}), cast(arange(0, 5, 1), DType::kBool), zeros({0, 4})}) {
    StringSink sink;
    io::write_npy(sink, value);
    out.push_back(sink.take());
  }
  for (const auto& [from, to] : {std::pair{"False", "True "}, std::pair{"<f4", ">f4"}}) {
    std::string other = out[0];
    out.push_back(other.replace(other.find(from), std::strlen(from), to));
  }
  return out;
}
// By number, one by one and in batches.
void read_npy(std::span<const std::byte> bytes) {
  read_as_file(bytes, [](const std::string& path) {
    return data::npy({path}).concatenate(data::npy({path, path}).shuffle(10).batch(3));
  });
}
std::vector<std::string> npz_samples() {
  std::vector<std::string> out;
  for (const bool is_compressed : {false, true}) {
    StringSink sink;
    io::write_npz(sink, {{"x", ones({3, 2})}, {"y", arange(0, 3, 1)}}, is_compressed);
    out.push_back(sink.take());
  }
  return out;
}
void read_npz(std::span<const std::byte> bytes) {
  read_as_file(bytes, [](const std::string& path) { return data::npz(path); });
}

std::string_view raw(const auto& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}
std::string record(std::string_view bytes) {
  const uint64_t length = bytes.size();
  std::string out(raw(length));
  out += raw(data::masked_crc32c(bytes_in(raw(length))));
  out += bytes;
  return out += raw(data::masked_crc32c(bytes_in(bytes)));
}
std::string message(int number, const std::string& bytes) {
  return std::string(1, static_cast<char>(number << 3 | 2)) +
         std::string(1, static_cast<char>(bytes.size())) + bytes;
}
std::string feature(const std::string& name, const std::string& list) {
  return message(1, message(1, name) + message(2, list));
}
std::vector<std::string> example_samples() {
  return {message(1, feature("n", message(3, message(1, "\x07\x96\x01"s))) +
                         feature("x", message(2, message(1, "\0\0\x80\x3f"s))) +
                         feature("t", message(1, message(1, "hi"))))};
}
void read_example(std::span<const std::byte> bytes) {
  data::parse_example(
      Tensor::from_bytes(DType::kU8, Shape{static_cast<int64_t>(bytes.size())}, bytes));
}
std::vector<std::string> tfrecord_samples() {
  return {record("first") + record("") + record("third")};
}
void read_tfrecord(std::span<const std::byte> bytes) {
  read_as_file(bytes, [](const std::string& path) { return data::tfrecord({path}); });
}
void repair_tfrecord(std::string& bytes) {
  for (size_t at = 0; at + 16 <= bytes.size();) {
    uint64_t length = 0;
    std::memcpy(&length, bytes.data() + at, sizeof length);
    const uint32_t head = data::masked_crc32c(bytes_in(bytes).subspan(at, 8));
    std::memcpy(bytes.data() + at + 8, &head, sizeof head);
    if (length > bytes.size() - at - 16) return;
    const uint32_t body = data::masked_crc32c(bytes_in(bytes).subspan(at + 12, length));
    std::memcpy(bytes.data() + at + 12 + length, &body, sizeof body);
    at += 16 + length;
  }
}

std::string big_endian(uint64_t number) {
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(number >> shift);
  return out;
}
uint32_t big_endian_at(std::string_view bytes, size_t at) {
  uint32_t out = 0;
  for (size_t i = 0; i < 4; ++i) out = out << 8 | static_cast<unsigned char>(bytes[at + i]);
  return out;
}
const Bytef* data_of(std::string_view bytes) {
  return reinterpret_cast<const Bytef*>(bytes.data());
}
std::string png_chunk(const std::string& summed) {
  const uLong sum = crc32(0, data_of(summed), static_cast<uInt>(summed.size()));
  return big_endian(summed.size() - 4) + summed + big_endian(sum);
}
// Of 9 x 6 pixels, not packed, so that changes are changes of pixels and filters.
std::string plain_png(char depth, char color, size_t row_bytes, size_t piece) {
  std::string rows;
  for (size_t y = 0; y < 6; ++y) {
    rows += static_cast<char>(y % 5);
    for (size_t i = 0; i < row_bytes; ++i) rows += static_cast<char>(y * 40 + i * i);
  }
  std::string stream(512, '\0');
  uLongf size = stream.size();
  compress2(reinterpret_cast<Bytef*>(stream.data()), &size, data_of(rows), rows.size(), 0);
  stream.resize(size);
  std::string out =
      "\x89PNG\r\n\x1a\n" + png_chunk("IHDR\0\0\0\x09\0\0\0\x06"s + depth + color + "\0\0\0"s);
  if (color == 3) {
    out += png_chunk("PLTE" + std::string(size_t{3} << depth, 'p')) + png_chunk("tRNSab");
  }
  for (size_t at = 0; at < stream.size(); at += piece) {
    out += png_chunk("IDAT" + stream.substr(at, piece));
  }
  return out + png_chunk("IEND");
}
std::vector<std::string> png_samples() {
  std::vector<std::string> out{plain_png(8, 0, 9, 512),  plain_png(8, 2, 27, 30),
                               plain_png(8, 6, 36, 512), plain_png(8, 4, 18, 512),
                               plain_png(4, 3, 5, 512),  plain_png(1, 0, 2, 512),
                               plain_png(16, 2, 54, 512)};
  for (const auto format :
       std::initializer_list<uint32_t>{PNG_FORMAT_GRAY, PNG_FORMAT_RGB, PNG_FORMAT_RGBA}) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = image.height = 5;
    image.format = format;
    const std::vector<unsigned char> pixels(PNG_IMAGE_SIZE(image), 77);
    png_alloc_size_t size = 4096;
    std::string bytes(size, '\0');
    png_image_write_to_memory(&image, bytes.data(), &size, 0, pixels.data(), 0, nullptr);
    out.push_back(bytes.substr(0, size));
  }
  return out;
}
// The checksum of unpacked bytes, where they end within the chunk.
void repair_adler(char* stream, size_t size) {
  z_stream state{};
  state.next_in = reinterpret_cast<Bytef*>(stream) + 2;
  if (size < 6 || inflateInit2(&state, -MAX_WBITS) != Z_OK) return;
  state.avail_in = static_cast<uInt>(size - 6);
  std::string unpacked(1 << 16, '\0');
  state.next_out = reinterpret_cast<Bytef*>(unpacked.data());
  state.avail_out = static_cast<uInt>(unpacked.size());
  const int ended = inflate(&state, Z_FINISH);
  const size_t used = 2 + state.total_in, made = state.total_out;
  inflateEnd(&state);
  if (ended != Z_STREAM_END) return;
  const std::string sum = big_endian(adler32(1, data_of(unpacked), static_cast<uInt>(made)));
  std::memcpy(stream + used, sum.data(), sum.size());
}
// The checksums of its chunks.
void repair_png(std::string& bytes) {
  for (size_t at = 8; at + 12 <= bytes.size();) {
    const uint64_t length = big_endian_at(bytes, at);
    if (length > bytes.size() - at - 12) return;
    if (bytes.compare(at + 4, 4, "IDAT") == 0) repair_adler(bytes.data() + at + 8, length);
    const auto summed = std::string_view(bytes).substr(at + 4, length + 4);
    const uLong crc = crc32(0, data_of(summed), static_cast<uInt>(summed.size()));
    bytes.replace(at + 8 + length, 4, big_endian(crc));
    at += 12 + length;
  }
}
std::vector<std::string> jpeg_samples() {
  std::vector<std::string> out;
  for (const bool is_progressive : {false, true}) {
    jpeg_compress_struct info{};
    jpeg_error_mgr errors{};
    info.err = jpeg_std_error(&errors);
    jpeg_create_compress(&info);
    unsigned char* bytes = nullptr;
    unsigned long size = 0;
    jpeg_mem_dest(&info, &bytes, &size);
    info.image_width = info.image_height = 17;
    info.input_components = 3;
    info.in_color_space = JCS_RGB;
    jpeg_set_defaults(&info);
    if (is_progressive) jpeg_simple_progression(&info);
    jpeg_start_compress(&info, TRUE);
    std::vector<unsigned char> row(17 * 3);
    while (info.next_scanline < info.image_height) {
      for (size_t i = 0; i < row.size(); ++i)
        row[i] = static_cast<unsigned char>(i * 5 + info.next_scanline * 9);
      unsigned char* at = row.data();
      jpeg_write_scanlines(&info, &at, 1);
    }
    jpeg_finish_compress(&info);
    out.emplace_back(reinterpret_cast<const char*>(bytes), size);
    jpeg_destroy_compress(&info);
    std::free(bytes);
  }
  return out;
}
void read_image(std::span<const std::byte> bytes) {
  for (const int64_t channels : {0, 1, 3}) data::decode_image(text_in(bytes), channels, "file");
}

std::vector<std::string> gzip_samples() {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string text = "text text text and more of it", out(4096, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(text.data());
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = 4096;
  deflate(&stream, Z_FINISH);
  out.resize(4096 - stream.avail_out);
  deflateEnd(&stream);
  return {out};
}
void read_gzip(std::span<const std::byte> bytes) {
  data::gunzipped(text_in(bytes), "fuzz", "file");
}

std::vector<std::string> element_samples() {
  Element both({ones({2, 3}), tensor(int64_t{7})});
  both.leaves.push_back(data::Leaf(data::Texts{{2}, {"a", "bc"}}));
  both.form = data::parse_form("{\"a\": (*, *), \"b\": \"m:C\"(*)}");
  return {data::element_bytes(both)};
}
void read_element(std::span<const std::byte> bytes) { data::element_of(text_in(bytes), "fuzz"); }

}  // namespace

std::span<const Format> data_formats() {
  static const Format kFormats[] = {
      {"idx", idx_samples, read_idx, nullptr, 4},
      {"csv", csv_samples, read_csv, nullptr, 20000, 4000},
      {"npy_rows", npy_samples, read_npy, nullptr, 20000, 4000},
      {"npz_rows", npz_samples, read_npz, nullptr, 20000, 4000},
      {"tfrecord", tfrecord_samples, read_tfrecord, repair_tfrecord, 20000, 4000},
      {"example", example_samples, read_example, nullptr, 2000},
      {"png", png_samples, read_image, repair_png, 4 * data::kMostGrowth * 3},
      {"jpeg", jpeg_samples, read_image, nullptr, 4 * data::kMostGrowth * 3},
      {"gzip", gzip_samples, read_gzip, nullptr, 8000},
      {"element", element_samples, read_element, nullptr, 2000},
  };
  return kFormats;
}

}  // namespace weft::fuzz
