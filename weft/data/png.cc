// PNG, by libpng's reader of whole images.
#include <png.h>

#include <vector>

#include "weft/data/image.h"

namespace weft::data {
namespace {

// Ends what libpng holds, on every way out.
struct Image {
  png_image value{};
  Image() { value.version = PNG_IMAGE_VERSION; }
  ~Image() { png_image_free(&value); }
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;
};

uint32_t format_of(int64_t channels) {
  return channels == 1 ? PNG_FORMAT_GRAY : channels == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_RGBA;
}

// libpng mixes what is transparent with a background; we leave the transparency out instead.
Tensor without_alpha(const std::vector<unsigned char>& pixels, int64_t height, int64_t width,
                     int64_t channels) {
  Tensor out = Tensor::empty(DType::kU8, Shape{height, width, channels});
  auto* to = static_cast<unsigned char*>(out.writable_data());
  const size_t stride = static_cast<size_t>(channels) + 1;
  for (size_t at = 0; at < pixels.size(); at += stride) {
    for (size_t c = 0; c + 1 < stride; ++c) *to++ = pixels[at + c];
  }
  return out;
}

}  // namespace

bool is_png(std::string_view bytes) { return bytes.starts_with("\x89PNG\r\n\x1a\n"); }

Tensor decode_png(std::string_view bytes, int64_t channels, const std::string& origin) {
  Image image;
  if (png_image_begin_read_from_memory(&image.value, bytes.data(), bytes.size()) == 0) {
    fail_image(origin, text("cannot be read: ", image.value.message));
  }
  const bool has_alpha = (image.value.format & PNG_FORMAT_FLAG_ALPHA) != 0;
  const bool has_color = (image.value.format & PNG_FORMAT_FLAG_COLOR) != 0;
  if (channels == 0) channels = has_alpha ? 4 : has_color ? 3 : 1;
  const auto height = static_cast<int64_t>(image.value.height);
  const auto width = static_cast<int64_t>(image.value.width);
  const bool drops_alpha = has_alpha && channels != 4;
  require_size(image.value.height, image.value.width, static_cast<uint64_t>(channels) + drops_alpha,
               bytes.size(), origin);
  image.value.format =
      drops_alpha ? (channels == 1 ? PNG_FORMAT_GA : PNG_FORMAT_RGBA) : format_of(channels);
  const auto finish = [&](void* pixels) {
    if (png_image_finish_read(&image.value, nullptr, pixels, 0, nullptr) == 0) {
      fail_image(origin, text("cannot be read: ", image.value.message));
    }
  };
  if (drops_alpha) {
    std::vector<unsigned char> pixels(PNG_IMAGE_SIZE(image.value));
    finish(pixels.data());
    return without_alpha(pixels, height, width, channels);
  }
  Tensor out = Tensor::empty(DType::kU8, Shape{height, width, channels});
  finish(out.writable_data());
  return out;
}

}  // namespace weft::data
