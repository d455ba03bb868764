// Glyphs as texts, and the lines that they become.
//
// A glyph is a few strokes in a grid of units, 14 from the baseline to the top of capitals. A
// stroke begins with its kind: `-` is a line from point to point, `~` a curve that begins and ends
// in its first and last point and bends towards those between, `o` a closed curve inside the box of
// its points, `.` a dot. Then come the points, two digits of base 36 each: x to the right, and y
// upwards from 4 below the baseline.
#include "weft/train/picture/font.h"

#include <algorithm>
#include <array>

namespace weft::train {
namespace {

constexpr char32_t kFirst = 32, kEnd = 127;
// In the order of ASCII: signs, digits, signs, capitals, signs, small letters, signs.
// clang-format off
constexpr std::string_view kGlyphs[kEnd - kFirst] = {
    "", "-1i19 .14", "-0i0e -3i3e", "-3i14 -7i54 -0d8d -0989", "~8e8h0h0b8b850508 -4j43",
    "o0c4c4i0i o64a4aa6a -9i14", "~9a74040a6d6i1i1d94", "-0i0e", "~3j0f0732", "~0j3f3702",
    "-3i3c -0h6d -6h0d", "-0a8a -4e46", "-1501", "-0a5a", ".14", "-026i",
    "o04848i0i", "-2f5i54", "~0f0i8i8c04 -0484", "~0g0i7i7b3b ~3b8b840406", "-646i0888",
    "-7i1i0b ~0b0d8d840406", "o04848d0d ~090i7i", "-0i8i34", "o1b7b7i1i o04848b0b",
    "o09898i0i ~8d8414",
    ".14 .1d", ".1d -1501", "-7e0974", "-0c8c -0888", "-0e7904", "~0f0i7i7b3b38 .34",
    "o37877d3d -8d88 ~8886c6ci0i0393",
    "-045ia4 -2888", "-040i4i ~4i8i8b4b -0b5b ~5b9b9454 -5404", "~afai0i04a4a7",
    "-4404 -040i4i ~4iaia444", "-8i0i0484 -0b7b", "-8i0i04 -0b7b", "~afai0i04a4aa -aa6a",
    "-0i04 -aia4 -0bab", "-1i14", "-6i68 ~68640407", "-0i04 -9i09 -3c94", "-0i0484", "-040i68cic4",
    "-040ia4ai", "o04b4bi0i", "-040i5i ~5i9i9a5a -5a0a", "o04b4bi0i -78c3",
    "-040i5i ~5i9i9a5a -5a0a -5a94", "~8f8i0i0b8b840407", "-0iai -5i54", "-0i09 ~0904a4a9 -a9ai",
    "-0i54ai", "-0i447ga4ei", "-0i94 -9i04", "-0i5aai -5a54", "-0i9i0494",
    "-3j0j0232", "-0i62", "-0j3j3202", "-0d4i8d", "-0282", "-0i2f",
    "o04848e0e -8e84", "-0i04 o04848e0e", "~8c8e0e048486", "-8i84 o04848e0e", "-0989 ~898e0e048486",
    "~6i2i2f -2f24 -0e6e", "o04848e0e -8e83 ~83800001", "-0i04 ~0a0e8e89 -8984", "-1e14 .1i",
    "-3e32 ~323000 .3i", "-0i04 -7e08 -2984", "-1i16 ~161434",
    "-0e04 ~0a0e6e69 -6964 ~6a6ecec9 -c9c4", "-0e04 ~0a0e8e89 -8984", "o04848e0e",
    "-0e00 o04848e0e", "-8e80 o04848e0e", "-0e04 ~0a0e5e", "~7c7e0e0979740406",
    "-2h26 ~262454 -0e5e", "-0e09 ~09048488 -8e84", "-0e448e", "-0e346c94ce", "-0e74 -7e04",
    "-0e44 -8e20", "-0e7e0474",
    "~4j2j2c0b ~0b2a2242", "-1j12", "~0j2j2c4b ~4b2a2202", "~092d678b",
};
// clang-format on
constexpr double kUnits = 20;    // of a letter's size: capitals are 0.7 of it high
constexpr double kGap = 4;       // between letters
constexpr double kWeight = 1.7;  // of strokes
constexpr int kBends = 8;        // lines that a bend is made of
constexpr double kDot = 0.4;

double digit(char c) { return '0' <= c && c <= '9' ? c - '0' : c - 'a' + 10; }

Points points_of(std::string_view text) {
  Points out;
  for (size_t at = 0; at < text.size(); at += 2) {
    out.push_back({digit(text[at]), digit(text[at + 1]) - 4});
  }
  return out;
}

Point middle(Point a, Point b) { return {(a.x + b.x) / 2, (a.y + b.y) / 2}; }

// Bends are parabolas from the middle of one pair of points to that of the next.
Points bent(const Points& points) {
  Points out{points[0]};
  for (size_t k = 1; k + 1 < points.size(); ++k) {
    const Point start = out.back(), by = points[k];
    const Point end = k + 2 == points.size() ? points.back() : middle(by, points[k + 1]);
    for (int step = 1; step <= kBends; ++step) {
      const double t = double(step) / kBends;
      const auto between = [&](double a, double b, double c) {
        return (1 - t) * (1 - t) * a + 2 * t * (1 - t) * b + t * t * c;
      };
      out.push_back({between(start.x, by.x, end.x), between(start.y, by.y, end.y)});
    }
  }
  return out;
}

Points line_of(std::string_view stroke) {
  Points points = points_of(stroke.substr(1));
  if (stroke[0] == '-') return points;
  if (stroke[0] == '.') {  // wider than the pen
    const auto [x, y] = points[0];
    const double r = kDot;
    return {{x - r, y + r}, {x + r, y + r}, {x + r, y + 3 * r}, {x - r, y + 3 * r}, {x - r, y + r}};
  }
  if (stroke[0] == 'o') {
    const Point first = middle(points.back(), points.front());
    points.insert(points.begin(), first);
    points.push_back(first);
  }
  return bent(points);
}

Letter made(char32_t character) {
  Letter out{{}, 0};
  std::string_view glyph = kGlyphs[character - kFirst];
  for (size_t end; !glyph.empty(); glyph.remove_prefix(std::min(end + 1, glyph.size()))) {
    end = std::min(glyph.find(' '), glyph.size());
    out.lines.push_back(line_of(glyph.substr(0, end)));
    for (const Point& point : out.lines.back()) out.width = std::max(out.width, point.x);
  }
  if (out.lines.empty()) out.width = 4;
  if (U'0' <= character && character <= U'9') out.width = 8;  // numbers stand below each other
  return out;
}

// The character that text begins with, which is taken away. What is no UTF-8 is one by one byte.
char32_t taken(std::string_view& text) {
  const auto first = static_cast<unsigned char>(text[0]);
  size_t size = 1;
  while (first >= 0xc0 && size < text.size() && size < 4 &&
         (static_cast<unsigned char>(text[size]) & 0xc0) == 0x80) {
    ++size;
  }
  text.remove_prefix(size);
  return first < 0x80 ? first : U'\ufffd';  // there is none beyond ASCII
}

}  // namespace

const Letter& letter_of(char32_t character) {
  static const auto kLetters = [] {
    std::array<Letter, kEnd - kFirst> all;
    for (char32_t c = kFirst; c < kEnd; ++c) all[c - kFirst] = made(c);
    return all;
  }();
  return kLetters[(kFirst <= character && character < kEnd ? character : U'?') - kFirst];
}

double width_of(std::string_view text, double size) {
  double units = -kGap;
  while (!text.empty()) units += letter_of(taken(text)).width + kGap;
  return std::max(units, 0.0) * size / kUnits;
}

double start_of(std::string_view text, double x, double size, Align align) {
  const double part = align == Align::kLeft ? 0 : align == Align::kCenter ? 0.5 : 1;
  return x - width_of(text, size) * part;
}

PlacedText placed_text(std::string_view text, double x, double y, double size) {
  const double unit = size / kUnits;
  PlacedText out{{}, kWeight * unit};
  while (!text.empty()) {
    const Letter& letter = letter_of(taken(text));
    for (const Points& line : letter.lines) {
      Points& placed = out.lines.emplace_back();
      for (const Point& p : line) placed.push_back({x + p.x * unit, y - p.y * unit});
    }
    x += (letter.width + kGap) * unit;
  }
  return out;
}

}  // namespace weft::train
