// Canvases: lines, boxes, areas, images and text, drawn as the pixels of a PNG or written as SVG.
// Places are in points, from the left and from the top.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace weft::train {

struct Color {
  uint8_t red, green, blue;
  bool operator==(const Color&) const = default;
};
inline constexpr Color kWhite{0xff, 0xff, 0xff}, kInk{0x22, 0x30, 0x3c}, kSoft{0x6b, 0x7a, 0x88},
    kRule{0xe3, 0xe8, 0xed};

std::string hex(Color color);  // #22303c
// The color between two, `part` of the way from a to b.
Color blend(Color a, Color b, double part);

struct Point {
  double x, y;
};
using Points = std::vector<Point>;

// Pixels in rows, each of red, green and blue.
struct Pixels {
  int64_t height, width;
  std::vector<uint8_t> values;
};

enum class Align : uint8_t { kLeft, kCenter, kRight };

class Canvas {
 public:
  Canvas(double width, double height) : width(width), height(height) {}
  virtual ~Canvas() = default;
  Canvas(const Canvas&) = delete;
  Canvas& operator=(const Canvas&) = delete;

  const double width, height;

  virtual void box(double left, double top, double right, double bottom, Color color) = 0;
  // A line through points, with round ends; one point alone is a dot.
  virtual void line(std::span<const Point> points, Color color, double width) = 0;
  virtual void dot(double x, double y, Color color, double width) = 0;
  virtual void text(double x, double y, std::string_view text, Color color, double size,
                    Align align = Align::kLeft) = 0;
  // What lies between a line, whose x goes up, and the height `base`.
  virtual void area(std::span<const Point> points, double base, Color color, double opacity) = 0;
  // Pixels as squares of `cell` points.
  virtual void image(double left, double top, double cell, const Pixels& image) = 0;
  // The whole file.
  virtual std::string bytes() const = 0;
};

// A canvas for a file of this name, which ends in .png or .svg; raises [who.format].
std::unique_ptr<Canvas> canvas_for(const std::string& path, double width, double height,
                                   std::string_view who);
// The file appears whole or not at all.
void write_picture(const std::string& path, const Canvas& canvas, std::string_view who);

}  // namespace weft::train
