// Rows of PNG images from the differences that files hold.
#pragma once

#include <cstdint>
#include <cstring>

namespace weft::data {

// Bytes that may be read (not written) behind each row.
inline constexpr int64_t kBehindRow = 1;

// A row of `bytes` bytes from the row above it and what the file has: a byte that says how, and
// that many. `step` is the distance of a byte to the same channel of the pixel before, 1 to 4. `to`
// may be where the file's bytes are. False: no such filter.
bool unfilter_row(uint8_t* to, const uint8_t* from, const uint8_t* above, int64_t bytes, int step);

}  // namespace weft::data
