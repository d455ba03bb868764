// JPEG: the pixels that were packed, as far as its numbers are whole.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include <jpeglib.h>

#include "weft/data/sources.h"

namespace weft::data {
namespace {

using Pixels = std::vector<uint8_t>;

// At quality 100 nothing but rounding is lost; every pixel has its own color.
std::string jpeg_of(int width, int height, int channels, const Pixels& pixels) {
  jpeg_compress_struct info{};
  jpeg_error_mgr errors{};
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;  // NOLINT(google-runtime-int): what libjpeg takes
  jpeg_mem_dest(&info, &bytes, &size);
  info.image_width = static_cast<JDIMENSION>(width);
  info.image_height = static_cast<JDIMENSION>(height);
  info.input_components = channels;
  info.in_color_space = channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, 100, TRUE);
  info.comp_info[0].h_samp_factor = info.comp_info[0].v_samp_factor = 1;
  jpeg_start_compress(&info, TRUE);
  const auto row_bytes = static_cast<size_t>(width * channels);
  while (info.next_scanline < info.image_height) {
    auto* row = const_cast<unsigned char*>(pixels.data() + info.next_scanline * row_bytes);
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  std::string out(reinterpret_cast<const char*>(bytes), size);
  jpeg_destroy_compress(&info);
  std::free(bytes);
  return out;
}

int farthest(const Pixels& a, const Pixels& b) {
  int out = a.size() == b.size() ? 0 : 999;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    out = std::max(out, std::abs(int{a[i]} - int{b[i]}));
  }
  return out;
}

TEST(Jpeg, BlocksOfOneGrayAreExact) {
  Pixels pixels;
  for (int y = 0; y < 16; ++y) {
    for (int x = 0; x < 24; ++x) pixels.push_back(static_cast<uint8_t>(y / 8 * 100 + x / 8 * 50));
  }
  const std::string file = jpeg_of(24, 16, 1, pixels);
  const Tensor found = decode_image(file);
  EXPECT_EQ(text(found.type()), "u8[16, 24, 1]");
  EXPECT_EQ(found.to_vector<uint8_t>(), pixels);
  Pixels three, four;
  for (const uint8_t one : pixels) {
    three.insert(three.end(), {one, one, one});
    four.insert(four.end(), {one, one, one, 255});
  }
  EXPECT_EQ(decode_image(file, 3).to_vector<uint8_t>(), three);
  EXPECT_EQ(decode_image(file, 4).to_vector<uint8_t>(), four);
}

TEST(Jpeg, ColorsAreThoseThatWerePacked) {
  // Red, green, blue and white, each a block of its own; then their luma.
  const uint8_t colors[4][3] = {{255, 0, 0}, {0, 255, 0}, {0, 0, 255}, {255, 255, 255}};
  const uint8_t lumas[4] = {76, 150, 29, 255};
  Pixels pixels, gray;
  for (int y = 0; y < 8; ++y) {
    for (int x = 0; x < 32; ++x) {
      pixels.insert(pixels.end(), colors[x / 8], colors[x / 8] + 3);
      gray.push_back(lumas[x / 8]);
    }
  }
  const std::string file = jpeg_of(32, 8, 3, pixels);
  EXPECT_EQ(text(decode_image(file).type()), "u8[8, 32, 3]");
  EXPECT_LE(farthest(decode_image(file).to_vector<uint8_t>(), pixels), 2);
  EXPECT_LE(farthest(decode_image(file, 1).to_vector<uint8_t>(), gray), 1);
}

TEST(Jpeg, EveryPixelIsInItsPlace) {
  Pixels pixels;
  for (int y = 0; y < 13; ++y) {
    for (int x = 0; x < 21; ++x) pixels.push_back(static_cast<uint8_t>(10 * x + 3 * y));
  }
  EXPECT_LE(farthest(decode_image(jpeg_of(21, 13, 1, pixels)).to_vector<uint8_t>(), pixels), 2);
}

}  // namespace
}  // namespace weft::data
