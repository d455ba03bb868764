// Widths of Helvetica's letters, in thousandths of the font size.
#include "weft/base/text_width.h"

#include <cstddef>
#include <cstdint>

namespace weft {
namespace {

constexpr uint16_t kRegular[] = {
    278,  278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,  // to /
    556,  556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,  // to ?
    1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,  // to O
    667,  778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,  // to _
    333,  556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,  // to o
    556,  556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584};      // to ~
constexpr uint16_t kBold[] = {
    278, 333, 474, 556, 556, 889, 722, 238, 333, 333, 389, 584, 278, 333, 278, 278,  // to /
    556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 333, 333, 584, 584, 584, 611,  // to ?
    975, 722, 722, 722, 722, 667, 611, 778, 722, 278, 556, 722, 611, 833, 722, 778,  // to O
    667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 333, 278, 333, 584, 556,  // to _
    333, 556, 611, 556, 611, 556, 333, 611, 611, 278, 278, 556, 278, 889, 611, 611,  // to o
    611, 611, 389, 556, 333, 611, 556, 778, 556, 556, 500, 389, 280, 389, 584};      // to ~
constexpr uint16_t kWide = 1000;

bool continues_a_letter(char c) { return (c & 0xc0) == 0x80; }

uint16_t width_of(char c, bool is_bold) {
  const auto byte = static_cast<unsigned char>(c);
  if (byte < ' ' || byte == 127) return 0;
  if (byte > 127) return kWide;
  return (is_bold ? kBold : kRegular)[byte - ' '];
}

}  // namespace

double text_width(std::string_view text, double size, bool is_bold) {
  int64_t out = 0;
  for (const char c : text) out += continues_a_letter(c) ? 0 : width_of(c, is_bold);
  return static_cast<double>(out) * size / 1000;
}

std::string shortened(std::string_view text, double size, double most, bool is_bold) {
  if (text_width(text, size, is_bold) <= most) return std::string(text);
  size_t end = 0;
  for (size_t next = 0; next < text.size();) {
    do {
      ++next;
    } while (next < text.size() && continues_a_letter(text[next]));
    if (text_width(text.substr(0, next), size, is_bold) + size * kWide / 1000 > most) break;
    end = next;
  }
  return std::string(text.substr(0, end)) + "…";
}

}  // namespace weft
