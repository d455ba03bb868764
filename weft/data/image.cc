// decode_image: by what the file begins with.
#include "weft/data/image.h"

#include "weft/data/file_reader.h"

namespace weft::data {

void fail_image(const std::string& origin, std::string_view wrong) {
  fail(Code::kIo, "decode_image", "image", origin.empty() ? "the image" : origin, " ", wrong);
}

void require_size(uint64_t height, uint64_t width, uint64_t channels, uint64_t file_bytes,
                  const std::string& origin) {
  // Both are below 2^31 in either format.
  const uint64_t pixels = height * width;
  if (height > 0 && width > 0 && pixels <= kMostGrowth * file_bytes / channels) return;
  fail(Code::kIo, "decode_image", "size", origin.empty() ? "the image" : origin, " claims ", height,
       " x ", width, " pixels in ", file_bytes, " bytes; no image is so well packed");
}

Tensor decode_image(std::string_view bytes, int64_t channels, const std::string& origin) {
  if (channels != 0 && channels != 1 && channels != 3 && channels != 4) {
    fail(Code::kInvalid, "decode_image", "channels", "channels is ", channels,
         "; it is 1, 3 or 4, or 0 for those of the file");
  }
  if (is_png(bytes)) return decode_png(bytes, channels, origin);
  if (is_jpeg(bytes)) return decode_jpeg(bytes, channels, origin);
  fail_image(origin, "is neither PNG nor JPEG");
}

Tensor read_image(const std::string& path, int64_t channels) {
  return decode_image(file_bytes(path, "read_image"), channels, path);
}

}  // namespace weft::data
