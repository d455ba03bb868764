// Readers of PNG: our own for the files that most are, libpng's for all.
#pragma once

#include <optional>

#include "weft/data/image.h"

namespace weft::data {

// The pixels of a file without fault: 8 bits a channel or fewer, not interlaced, without a
// transparent colour, and not turned from colour to gray. None for any other, also one that is
// damaged: libpng then reads it or says what is wrong. Neither converts by a gamma or a profile.
std::optional<Tensor> decode_plain_png(std::string_view bytes, int64_t channels,
                                       const std::string& origin);
Tensor decode_png_by_libpng(std::string_view bytes, int64_t channels, const std::string& origin);

}  // namespace weft::data
