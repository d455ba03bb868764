// Vector: a picture as SVG; its letters are those of whoever looks at it.
#pragma once

#include "weft/train/picture/canvas.h"

namespace weft::train {

class Vector final : public Canvas {
 public:
  Vector(double width, double height);

  void box(double left, double top, double right, double bottom, Color color) override;
  void line(std::span<const Point> points, Color color, double width) override;
  void dot(double x, double y, Color color, double width) override;
  void text(double x, double y, std::string_view text, Color color, double size,
            Align align) override;
  void area(std::span<const Point> points, double base, Color color, double opacity) override;
  void image(double left, double top, double cell, const Pixels& image) override;
  std::string bytes() const override;

 private:
  std::string parts_;
};

}  // namespace weft::train
