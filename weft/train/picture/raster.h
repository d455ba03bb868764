// Raster: pixels, whose edges are smooth: each takes the part of a shape that covers it.
#pragma once

#include "weft/train/picture/canvas.h"

namespace weft::train {

class Raster final : public Canvas {
 public:
  static constexpr int kScale = 2;  // pixels a point

  Raster(double width, double height);

  void box(double left, double top, double right, double bottom, Color color) override;
  void line(std::span<const Point> points, Color color, double width) override;
  void dot(double x, double y, Color color, double width) override;
  void text(double x, double y, std::string_view text, Color color, double size,
            Align align) override;
  void area(std::span<const Point> points, double base, Color color, double opacity) override;
  void image(double left, double top, double cell, const Pixels& image) override;
  std::string bytes() const override;

  int64_t rows() const { return rows_; }
  int64_t columns() const { return columns_; }
  // Red, green and blue, 0 to 255.
  const float* at(int64_t row, int64_t column) const {
    return values_.data() + (row * columns_ + column) * 3;
  }

 private:
  // A rectangle of pixels, and how much of each is covered.
  struct Cover {
    int64_t top, left, rows, columns;
    std::vector<float> parts;
    Cover(int64_t top, int64_t left, int64_t rows, int64_t columns);
    float& at(int64_t row, int64_t column) { return parts[size_t(row * columns + column)]; }
  };
  // Mixes a color in, by how much of each pixel it covers.
  void mix(const Cover& cover, Color color);
  void strokes(std::span<const Points> lines, Color color, double width);
  static void stroke(Cover& cover, std::span<const Point> points, double radius);

  int64_t rows_, columns_;
  std::vector<float> values_;
};

}  // namespace weft::train
