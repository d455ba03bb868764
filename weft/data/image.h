// Decoders of images in memory, one for each format.
#pragma once

#include "weft/data/sources.h"

namespace weft::data {

// What files may claim: pixels beyond this many bytes for one byte of the file are not believed.
inline constexpr uint64_t kMostGrowth = 2048;

// Height, width and channels that the file justifies, or [decode_image.size].
void require_size(uint64_t height, uint64_t width, uint64_t channels, uint64_t file_bytes,
                  const std::string& origin);
[[noreturn]] void fail_image(const std::string& origin, std::string_view wrong);

bool is_png(std::string_view bytes);
bool is_jpeg(std::string_view bytes);
// channels: 1, 3, 4, or 0 for those of the file.
Tensor decode_png(std::string_view bytes, int64_t channels, const std::string& origin);
Tensor decode_jpeg(std::string_view bytes, int64_t channels, const std::string& origin);

}  // namespace weft::data
