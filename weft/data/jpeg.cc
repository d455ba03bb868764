// JPEG, by libjpeg-turbo. Its errors jump: nothing that has a destructor lives where they jump
// from.
#include <csetjmp>
#include <cstddef>
#include <cstdio>

#include <jpeglib.h>

#include "weft/data/image.h"

namespace weft::data {
namespace {

struct Errors {
  jpeg_error_mgr base;
  std::jmp_buf back;
  char message[JMSG_LENGTH_MAX];
};

void leave(j_common_ptr info) {
  auto* const errors = reinterpret_cast<Errors*>(info->err);
  info->err->format_message(info, errors->message);
  std::longjmp(errors->back, 1);
}
// Warnings are of damaged data: what would be made up is refused.
void leave_on_warning(j_common_ptr info, int level) {
  if (level < 0) leave(info);
}

struct Decoder {
  jpeg_decompress_struct info;
  Errors errors;
};

void begin(Decoder& d) {
  d.info.err = jpeg_std_error(&d.errors.base);
  d.errors.base.error_exit = leave;
  d.errors.base.emit_message = leave_on_warning;
  d.errors.message[0] = 0;
}

// False after an error.
bool read_header(Decoder& d, std::string_view bytes) {
  if (setjmp(d.errors.back) != 0) return false;
  jpeg_create_decompress(&d.info);
  jpeg_mem_src(&d.info, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  return jpeg_read_header(&d.info, TRUE) == JPEG_HEADER_OK;
}

bool read_pixels(Decoder& d, J_COLOR_SPACE space, unsigned char* to, size_t row_bytes) {
  if (setjmp(d.errors.back) != 0) return false;
  d.info.out_color_space = space;
  jpeg_start_decompress(&d.info);
  while (d.info.output_scanline < d.info.output_height) {
    unsigned char* row = to + d.info.output_scanline * row_bytes;
    jpeg_read_scanlines(&d.info, &row, 1);
  }
  jpeg_finish_decompress(&d.info);
  return true;
}

// Ends what libjpeg holds, on every way out.
struct Ends {
  jpeg_decompress_struct& info;
  ~Ends() { jpeg_destroy_decompress(&info); }
};

}  // namespace

bool is_jpeg(std::string_view bytes) { return bytes.starts_with("\xff\xd8\xff"); }

Tensor decode_jpeg(std::string_view bytes, int64_t channels, const std::string& origin) {
  Decoder d{};
  begin(d);
  const bool has_header = read_header(d, bytes);
  const Ends ends{d.info};
  if (!has_header) fail_image(origin, text("cannot be read: ", d.errors.message));
  if (channels == 0) channels = d.info.num_components == 1 ? 1 : 3;
  require_size(d.info.image_height, d.info.image_width, static_cast<uint64_t>(channels),
               bytes.size(), origin);
  const Shape shape{static_cast<int64_t>(d.info.image_height),
                    static_cast<int64_t>(d.info.image_width), channels};
  Tensor out = Tensor::empty(DType::kU8, shape);
  const J_COLOR_SPACE space = channels == 1   ? JCS_GRAYSCALE
                              : channels == 3 ? JCS_RGB
                                              : JCS_EXT_RGBA;
  if (!read_pixels(d, space, static_cast<unsigned char*>(out.writable_data()),
                   static_cast<size_t>(d.info.image_width) * static_cast<size_t>(channels))) {
    fail_image(origin, text("cannot be read: ", d.errors.message));
  }
  return out;
}

}  // namespace weft::data
