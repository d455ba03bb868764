// The letters of our pictures: strokes of our own design for ASCII 32 to 126.
#pragma once

#include "weft/train/picture/canvas.h"

namespace weft::train {

// The lines of a letter, with y from the baseline upwards, in units: 14 are the height of capitals.
struct Letter {
  std::vector<Points> lines;
  double width;
};
// Of a character that has none: that of '?'.
const Letter& letter_of(char32_t character);

// How wide a text of this size is.
double width_of(std::string_view text, double size);
// Where a text begins whose left end, middle or right end is at x.
double start_of(std::string_view text, double x, double size, Align align);

struct PlacedText {
  std::vector<Points> lines;
  double pen;  // its width
};
// A text whose baseline begins at (x, y), where y goes down.
PlacedText placed_text(std::string_view text, double x, double y, double size);

}  // namespace weft::train
