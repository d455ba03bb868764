// The elements of SVG.
#include "weft/train/picture/vector.h"

#include <cstring>

#include "weft/base/svg.h"
#include "weft/base/text.h"
#include "weft/core/tensor.h"
#include "weft/data/sources.h"
#include "weft/train/picture/numbers.h"

namespace weft::train {
namespace {

std::string fine(double x) { return fixed(x, 2); }

std::string path_through(std::span<const Point> points) {
  std::string out;
  for (const Point& point : points) {
    out += weft::text(out.empty() ? "" : " L", fine(point.x), ' ', fine(point.y));
  }
  return out;
}

std::string base64(std::string_view bytes) {
  static constexpr char kLetters[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (size_t at = 0; at < bytes.size(); at += 3) {
    const size_t count = std::min<size_t>(bytes.size() - at, 3);
    uint32_t bits = 0;
    for (size_t k = 0; k < 3; ++k) {
      bits = bits << 8 | (k < count ? static_cast<unsigned char>(bytes[at + k]) : 0u);
    }
    for (size_t k = 0; k < 4; ++k) {
      out += k <= count ? kLetters[bits >> (18 - 6 * k) & 63] : '=';
    }
  }
  return out;
}

std::string_view anchor(Align align) {
  return align == Align::kLeft ? "start" : align == Align::kCenter ? "middle" : "end";
}

}  // namespace

Vector::Vector(double width, double height) : Canvas(width, height) {
  box(0, 0, width, height, kWhite);
}

void Vector::box(double left, double top, double right, double bottom, Color color) {
  parts_ +=
      weft::text("<rect x=\"", fine(left), "\" y=\"", fine(top), "\" width=\"", fine(right - left),
                 "\" height=\"", fine(bottom - top), "\" fill=\"", hex(color), "\"/>\n");
}

void Vector::line(std::span<const Point> points, Color color, double width) {
  if (points.empty()) return;
  const Point twice[] = {points[0], points[0]};
  const std::span<const Point> all = points.size() > 1 ? points : twice;
  parts_ += weft::text("<path d=\"M", path_through(all), "\" fill=\"none\" stroke=\"", hex(color),
                       "\" stroke-width=\"", fine(width),
                       "\" stroke-linecap=\"round\" stroke-linejoin=\"round\"/>\n");
}

void Vector::dot(double x, double y, Color color, double width) {
  parts_ += weft::text("<circle cx=\"", fine(x), "\" cy=\"", fine(y), "\" r=\"", fine(width / 2),
                       "\" fill=\"", hex(color), "\"/>\n");
}

void Vector::text(double x, double y, std::string_view text, Color color, double size,
                  Align align) {
  parts_ += weft::text("<text x=\"", fine(x), "\" y=\"", fine(y), "\" fill=\"", hex(color),
                       "\" font-size=\"", general(size), "\" text-anchor=\"", anchor(align), "\">",
                       svg_text(text), "</text>\n");
}

void Vector::area(std::span<const Point> points, double base, Color color, double opacity) {
  Points all{{points.front().x, base}};
  all.insert(all.end(), points.begin(), points.end());
  all.push_back({points.back().x, base});
  parts_ += weft::text("<path d=\"M", path_through(all), " Z\" fill=\"", hex(color),
                       "\" fill-opacity=\"", general(opacity), "\"/>\n");
}

void Vector::image(double left, double top, double cell, const Pixels& image) {
  const Tensor pixels = Tensor::empty(DType::kU8, Shape{image.height, image.width, 3});
  std::memcpy(pixels.writable_data(), image.values.data(), image.values.size());
  parts_ += weft::text("<image x=\"", fine(left), "\" y=\"", fine(top), "\" width=\"",
                       fine(static_cast<double>(image.width) * cell), "\" height=\"",
                       fine(static_cast<double>(image.height) * cell),
                       "\" style=\"image-rendering:pixelated\" href=\"data:image/png;base64,",
                       base64(data::encode_png(pixels)), "\"/>\n");
}

std::string Vector::bytes() const {
  const std::string wide = general(width), high = general(height);
  return weft::text("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", wide, "\" height=\"",
                    high, "\" viewBox=\"0 0 ", wide, ' ', high,
                    "\" font-family=\"Helvetica, Arial, sans-serif\">\n", parts_, "</svg>\n");
}

}  // namespace weft::train
