// PNG of every kind, by libpng: bits as the file has them, whatever it says of gamma and profiles.
//
// The rows are read by its ordinary functions. Those for whole images hold 16 bits for linear light
// and convert pixels by the gamma of the file. Its errors jump: nothing that has a destructor lives
// where they jump from.
#include <png.h>

#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <vector>

#include "weft/data/png_plain.h"

namespace weft::data {
namespace {

struct Decoder {
  std::string_view left;  // of the file
  png_structp png = nullptr;
  png_infop info = nullptr;
  char message[128] = "no memory";

  Decoder() = default;
  ~Decoder() { png_destroy_read_struct(&png, &info, nullptr); }
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;
};

[[noreturn]] void leave(png_structp png, png_const_charp message) {
  auto* const decoder = static_cast<Decoder*>(png_get_error_ptr(png));
  std::snprintf(decoder->message, sizeof decoder->message, "%s", message);
  png_longjmp(png, 1);
}
void pass_over_warning(png_structp, png_const_charp) {}

void give(png_structp png, png_bytep to, size_t count) {
  auto* const decoder = static_cast<Decoder*>(png_get_io_ptr(png));
  if (count > decoder->left.size()) png_error(png, "read beyond end of data");
  std::memcpy(to, decoder->left.data(), count);
  decoder->left.remove_prefix(count);
}

// False after an error.
bool read_header(Decoder& d) {
  d.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &d, leave, pass_over_warning);
  if (d.png == nullptr) return false;
  if (setjmp(png_jmpbuf(d.png)) != 0) return false;
  d.info = png_create_info_struct(d.png);
  if (d.info == nullptr) return false;
  png_set_benign_errors(d.png, 1);
  // All but header, palette, transparency and pixels.
  png_set_keep_unknown_chunks(d.png, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
  png_set_read_fn(d.png, &d, give);
  png_read_info(d.png, d.info);
  return true;
}

// Rows of 8 bits with these channels. False after an error.
bool read_pixels(Decoder& d, int64_t channels, bool adds_alpha, unsigned char* to) {
  if (setjmp(png_jmpbuf(d.png)) != 0) return false;
  png_set_expand(d.png);    // palettes, fewer than 8 bits, a transparent colour
  png_set_strip_16(d.png);  // the high bytes
  if (channels != 4) png_set_strip_alpha(d.png);
  if (channels != 1) png_set_gray_to_rgb(d.png);
  if (adds_alpha) png_set_add_alpha(d.png, 255, PNG_FILLER_AFTER);
  const int passes = png_set_interlace_handling(d.png);
  png_read_update_info(d.png, d.info);
  const uint32_t height = png_get_image_height(d.png, d.info);
  const size_t row_bytes =
      size_t{png_get_image_width(d.png, d.info)} * static_cast<size_t>(channels);
  if (png_get_rowbytes(d.png, d.info) != row_bytes) png_error(d.png, "unknown kind of rows");
  for (int pass = 0; pass < passes; ++pass) {
    for (uint32_t y = 0; y < height; ++y) png_read_row(d.png, to + y * row_bytes, nullptr);
  }
  return true;
}

// Luma as JPEG has it, by integers so that equal channels stay what they are.
uint8_t luma(const uint8_t* rgb) {
  return static_cast<uint8_t>((19595U * rgb[0] + 38470U * rgb[1] + 7471U * rgb[2] + 32768U) >> 16);
}

}  // namespace

Tensor decode_png_by_libpng(std::string_view bytes, int64_t channels, const std::string& origin) {
  Decoder d;
  d.left = bytes;
  const auto fail_now = [&] { fail_image(origin, text("cannot be read: ", d.message)); };
  if (!read_header(d)) fail_now();
  const int color = png_get_color_type(d.png, d.info);
  const bool has_color = (color & PNG_COLOR_MASK_COLOR) != 0;
  const bool has_alpha =
      (color & PNG_COLOR_MASK_ALPHA) != 0 || png_get_valid(d.png, d.info, PNG_INFO_tRNS) != 0;
  if (channels == 0) channels = has_alpha ? 4 : has_color ? 3 : 1;
  const uint32_t height = png_get_image_height(d.png, d.info);
  const uint32_t width = png_get_image_width(d.png, d.info);
  require_size(height, width, static_cast<uint64_t>(channels) + (has_alpha && channels != 4),
               bytes.size(), origin);
  Tensor out = Tensor::empty(DType::kU8, Shape{height, width, channels});
  auto* const to = static_cast<uint8_t*>(out.writable_data());
  if (channels != 1 || !has_color) {
    if (!read_pixels(d, channels, channels == 4 && !has_alpha, to)) fail_now();
    return out;
  }
  const auto count = static_cast<size_t>(out.numel());
  std::vector<uint8_t> colors(3 * count);
  if (!read_pixels(d, 3, false, colors.data())) fail_now();
  for (size_t i = 0; i < count; ++i) to[i] = luma(&colors[3 * i]);
  return out;
}

}  // namespace weft::data
