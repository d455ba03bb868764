// PNG files as most are, read in one go: checksums and packed bytes by libdeflate, over the whole
// file, and pixels straight into the tensor.
//
// It takes less than half the time that libpng takes, which works row by row. What it accepts,
// libpng accepts with the same pixels; it gives up at whatever is unusual.
#include "weft/data/png_plain.h"

#include <libdeflate.h>

#include <array>
#include <memory>
#include <string>

#include "weft/data/png_unfilter.h"

namespace weft::data {
namespace {

using Rgba = std::array<uint8_t, 4>;

constexpr size_t kSignature = 8, kAroundChunk = 12;
constexpr uint32_t kLargestSide = 1'000'000;  // libpng's limits
constexpr size_t kLargestChunk = 8'000'000;

uint32_t number_at(std::string_view bytes, size_t at) {
  uint32_t out = 0;
  for (size_t i = 0; i < 4; ++i) out = out << 8 | static_cast<uint8_t>(bytes[at + i]);
  return out;
}

// Chunks that are whole: length, kind, data, checksum of the two before.
class Chunks {
 public:
  explicit Chunks(std::string_view file) : left_(file.substr(kSignature)) {}

  bool next() {
    if (left_.size() < kAroundChunk) return false;
    const size_t length = number_at(left_, 0);
    if (length > left_.size() - kAroundChunk) return false;
    const uint32_t sum = libdeflate_crc32(0, left_.data() + 4, length + 4);
    if (sum != number_at(left_, 8 + length)) return false;
    kind = left_.substr(4, 4);
    data = left_.substr(8, length);
    left_.remove_prefix(length + kAroundChunk);
    return true;
  }

  std::string_view kind, data;

 private:
  std::string_view left_;
};

class PlainPng {
 public:
  // False: not such a file.
  bool read(std::string_view file) {
    Chunks chunks(file);
    if (!chunks.next() || chunks.kind != "IHDR" || !read_header(chunks.data)) return false;
    while (true) {
      if (!chunks.next()) return false;
      if (chunks.kind == "IDAT") break;
      if (!read_other(chunks.kind, chunks.data)) return false;
    }
    if (is_indexed() && palette_size_ == 0) return false;
    packed_ = chunks.data;
    while (chunks.next() && chunks.kind == "IDAT") {
      if (joined_.empty()) joined_ = packed_;
      joined_ += chunks.data;
    }
    if (!joined_.empty()) packed_ = joined_;
    // What a whole file ends with; nothing behind the pixels changes them.
    return chunks.kind != "IDAT" && is_window_honest();
  }

  uint32_t height() const { return height_; }
  uint32_t width() const { return width_; }
  bool has_alpha() const { return (color_ & 4) != 0 || has_transparency_; }
  bool has_color() const { return (color_ & 2) != 0; }

  // False: damaged after all.
  bool unpack(uint8_t* to, int64_t channels) const {
    const auto raw = std::make_unique_for_overwrite<uint8_t[]>(raw_bytes() + kBehindRow);
    const std::unique_ptr<libdeflate_decompressor, decltype(&libdeflate_free_decompressor)> inflate(
        libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
    if (inflate == nullptr ||
        libdeflate_zlib_decompress(inflate.get(), packed_.data(), packed_.size(), raw.get(),
                                   raw_bytes(), nullptr) != LIBDEFLATE_SUCCESS) {
      return false;
    }
    raw[raw_bytes()] = 0;
    const bool is_direct = depth_ == 8 && !is_indexed() && channels == samples();
    const auto bytes = static_cast<int64_t>(row_bytes());
    const std::vector<uint8_t> zeros(row_bytes() + kBehindRow);
    const uint8_t* above = zeros.data();
    std::vector<uint8_t> single(depth_ < 8 ? width_ : 0);
    for (uint32_t y = 0; y < height_; ++y) {
      uint8_t* const from = raw.get() + y * (row_bytes() + 1);
      uint8_t* const row = is_direct ? to : from + 1;
      if (!unfilter_row(row, from, above, bytes, std::max(1, samples() * depth_ / 8))) return false;
      above = row;
      if (!is_direct) {
        const uint8_t* whole = row;
        if (depth_ < 8) {
          take_apart(single.data(), row);
          whole = single.data();
        }
        if (!convert(to, whole, channels)) return false;
      }
      to += static_cast<int64_t>(width_) * channels;
    }
    return true;
  }

 private:
  bool is_indexed() const { return color_ == 3; }
  int samples() const { return color_ == 2 ? 3 : color_ == 4 ? 2 : color_ == 6 ? 4 : 1; }
  size_t row_bytes() const {
    return (size_t{width_} * static_cast<size_t>(samples() * depth_) + 7) / 8;
  }
  size_t raw_bytes() const { return height_ * (row_bytes() + 1); }

  bool read_header(std::string_view data) {
    if (data.size() != 13) return false;
    width_ = number_at(data, 0);
    height_ = number_at(data, 4);
    depth_ = data[8];
    color_ = data[9];
    if (width_ == 0 || height_ == 0 || width_ > kLargestSide || height_ > kLargestSide) {
      return false;
    }
    if (data[10] != 0 || data[11] != 0 || data[12] != 0) return false;  // the last: interlaced
    switch (color_) {
      case 0:
      case 3: return depth_ == 1 || depth_ == 2 || depth_ == 4 || depth_ == 8;
      case 2:
      case 4:
      case 6: return depth_ == 8;
      default: return false;
    }
  }

  bool read_other(std::string_view kind, std::string_view data) {
    if (kind == "PLTE") return read_palette(data);
    if (kind == "tRNS") return read_transparency(data);
    for (const std::string_view known : {"gAMA", "iCCP", "sRGB", "cHRM", "sBIT", "bKGD", "pHYs",
                                         "tIME", "tEXt", "zTXt", "iTXt", "eXIf", "hIST"}) {
      if (kind == known) return data.size() <= kLargestChunk;
    }
    return false;
  }

  bool read_palette(std::string_view data) {
    const size_t most = is_indexed() ? size_t{1} << depth_ : 256;
    if (!has_color() || palette_size_ > 0 || data.size() % 3 != 0) return false;
    palette_size_ = data.size() / 3;
    if (palette_size_ == 0 || palette_size_ > most) return false;
    for (size_t i = 0; i < palette_size_; ++i) {
      for (size_t c = 0; c < 3; ++c) palette_[i][c] = static_cast<uint8_t>(data[3 * i + c]);
      palette_[i][3] = 255;
    }
    return true;
  }

  bool read_transparency(std::string_view data) {
    if (!is_indexed() || has_transparency_ || data.empty() || data.size() > palette_size_) {
      return false;
    }
    for (size_t i = 0; i < data.size(); ++i) palette_[i][3] = static_cast<uint8_t>(data[i]);
    return has_transparency_ = true;
  }

  // libdeflate looks as far back as it is told to, libpng no further than the first byte says.
  bool is_window_honest() const {
    if (packed_.empty()) return false;
    const size_t window = size_t{1} << (8 + (static_cast<uint8_t>(packed_[0]) >> 4));
    return window >= 32768 || window >= raw_bytes();
  }

  // A byte for each of several pixels in one; gray ones go up to 255.
  void take_apart(uint8_t* to, const uint8_t* row) const {
    const auto depth = static_cast<uint32_t>(depth_), most = (1U << depth) - 1;
    const uint32_t scale = is_indexed() ? 1 : 255 / most;
    for (uint32_t x = 0; x < width_; ++x) {
      const uint32_t bit = x * depth;
      to[x] = static_cast<uint8_t>((row[bit / 8] >> (8 - depth - bit % 8) & most) * scale);
    }
  }

  template <int kChannels>
  void put(uint8_t* to, auto pixel_at) const {
    for (uint32_t x = 0; x < width_; ++x) {
      const Rgba pixel = pixel_at(x);
      for (int c = 0; c < kChannels; ++c) *to++ = pixel[static_cast<size_t>(c)];
    }
  }
  void put(uint8_t* to, int64_t channels, auto pixel_at) const {
    switch (channels) {
      case 1: return put<1>(to, pixel_at);
      case 3: return put<3>(to, pixel_at);
      default: return put<4>(to, pixel_at);
    }
  }

  // A row as the file has it, to one with the channels that were asked for.
  bool convert(uint8_t* to, const uint8_t* row, int64_t channels) const {
    switch (color_) {
      case 0: put(to, channels, [&](size_t x) { return Rgba{row[x], row[x], row[x], 255}; }); break;
      case 2:
        put(to, channels,
            [&](size_t x) { return Rgba{row[3 * x], row[3 * x + 1], row[3 * x + 2], 255}; });
        break;
      case 3:
        for (uint32_t x = 0; x < width_; ++x) {
          if (row[x] >= palette_size_) return false;
        }
        put(to, channels, [&](size_t x) { return palette_[row[x]]; });
        break;
      case 4:
        put(to, channels,
            [&](size_t x) { return Rgba{row[2 * x], row[2 * x], row[2 * x], row[2 * x + 1]}; });
        break;
      default:
        put(to, channels, [&](size_t x) {
          return Rgba{row[4 * x], row[4 * x + 1], row[4 * x + 2], row[4 * x + 3]};
        });
    }
    return true;
  }

  uint32_t width_ = 0, height_ = 0;
  int depth_ = 0, color_ = 0;
  std::array<Rgba, 256> palette_;
  size_t palette_size_ = 0;
  bool has_transparency_ = false;
  std::string_view packed_;
  std::string joined_;  // of a file that has it in pieces
};

}  // namespace

std::optional<Tensor> decode_plain_png(std::string_view bytes, int64_t channels,
                                       const std::string& origin) {
  PlainPng png;
  if (!png.read(bytes)) return std::nullopt;
  if (channels == 0) channels = png.has_alpha() ? 4 : png.has_color() ? 3 : 1;
  if (png.has_color() && channels == 1) return std::nullopt;
  const bool drops_alpha = png.has_alpha() && channels != 4;
  require_size(png.height(), png.width(), static_cast<uint64_t>(channels) + drops_alpha,
               bytes.size(), origin);
  Tensor out = Tensor::empty(DType::kU8, Shape{png.height(), png.width(), channels});
  if (!png.unpack(static_cast<uint8_t*>(out.writable_data()), channels)) return std::nullopt;
  return out;
}

}  // namespace weft::data
