// What is asked of operator new, counted.
#pragma once

#include <cstddef>

namespace weft::fuzz {

// Bytes asked for since the last reset, freed or not.
size_t asked_bytes();
void reset_asked_bytes();

}  // namespace weft::fuzz
