// PNG: read by ourselves where a file is as most are, else by libpng, and written by its writer of
// whole images.
#include <png.h>

#include <vector>

#include "weft/base/file.h"
#include "weft/data/png_plain.h"

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

}  // namespace

bool is_png(std::string_view bytes) { return bytes.starts_with("\x89PNG\r\n\x1a\n"); }

Tensor decode_png(std::string_view bytes, int64_t channels, const std::string& origin) {
  std::optional<Tensor> plain = decode_plain_png(bytes, channels, origin);
  return plain ? std::move(*plain) : decode_png_by_libpng(bytes, channels, origin);
}

std::string encode_png(const Tensor& pixels) {
  const ShapeView shape = pixels.shape();
  const int64_t channels = shape.size() == 3 ? shape[2].value() : 1;
  const bool is_image = pixels.dtype() == DType::kU8 && (shape.size() == 2 || shape.size() == 3) &&
                        (channels == 1 || channels == 3 || channels == 4) && pixels.numel() > 0;
  if (!is_image) {
    fail(Code::kInvalid, "encode_png", "pixels", "pixels are ", pixels.type(),
         "; they are u8[height, width] or u8[height, width, channels] with 1, 3 or 4 channels");
  }
  const std::vector<uint8_t> rows = pixels.to_vector<uint8_t>();
  Image image;
  image.value.height = static_cast<uint32_t>(shape[0].value());
  image.value.width = static_cast<uint32_t>(shape[1].value());
  image.value.format = format_of(channels);
  std::string out(PNG_IMAGE_PNG_SIZE_MAX(image.value), '\0');
  png_alloc_size_t size = out.size();
  if (png_image_write_to_memory(&image.value, out.data(), &size, 0, rows.data(), 0, nullptr) == 0) {
    fail(Code::kInvalid, "encode_png", "pixels", "pixels of ", pixels.type(),
         " cannot be written: ", image.value.message);
  }
  out.resize(size);
  return out;
}

void write_png(const std::string& path, const Tensor& pixels) {
  const std::string bytes = encode_png(pixels);
  AtomicFile file(path, "write_png");
  file.write(bytes);
  file.commit();
}

}  // namespace weft::data
