// Shapes as parts of pixels, in float32.
#include "weft/train/picture/raster.h"

#include <algorithm>
#include <cmath>

#include "weft/core/tensor.h"
#include "weft/data/sources.h"
#include "weft/train/picture/font.h"

namespace weft::train {
namespace {

int64_t rounded(double x) { return static_cast<int64_t>(std::nearbyint(x)); }
int64_t ceiled(double x) { return static_cast<int64_t>(std::ceil(x)); }
float clipped(float x) { return std::clamp(x, 0.0f, 1.0f); }

// Pixels from `first` on, and how much of each lies between two places.
struct Covered {
  int64_t first;
  std::vector<float> parts;

  Covered(double low, double high, int64_t count)
      : first(std::max<int64_t>(static_cast<int64_t>(low), 0)) {
    const int64_t last = std::min(ceiled(high), count);
    for (int64_t k = first; k < last; ++k) {
      const auto at = static_cast<float>(k);
      parts.push_back(clipped(std::min(static_cast<float>(high), at + 1) -
                              std::max(static_cast<float>(low), at)));
    }
  }
};

// The height of a line at x; beyond its ends it goes on level.
double height_at(std::span<const Point> points, double x) {
  if (x <= points.front().x) return points.front().y;
  if (x >= points.back().x) return points.back().y;
  const auto after = std::upper_bound(points.begin(), points.end(), x,
                                      [](double value, const Point& p) { return value < p.x; });
  const Point &a = *(after - 1), &b = *after;
  if (a.x == x) return a.y;
  return (b.y - a.y) / (b.x - a.x) * (x - a.x) + a.y;
}

}  // namespace

Raster::Raster(double width, double height)
    : Canvas(width, height),
      rows_(rounded(height * kScale)),
      columns_(rounded(width * kScale)),
      values_(static_cast<size_t>(rows_ * columns_ * 3), 255.0f) {}

Raster::Cover::Cover(int64_t top, int64_t left, int64_t rows, int64_t columns)
    : top(top),
      left(left),
      rows(std::max<int64_t>(rows, 0)),
      columns(std::max<int64_t>(columns, 0)),
      parts(static_cast<size_t>(this->rows * this->columns)) {}

void Raster::mix(const Cover& cover, Color color) {
  const float target[3] = {float(color.red), float(color.green), float(color.blue)};
  for (int64_t row = 0; row < std::min(cover.rows, rows_ - cover.top); ++row) {
    for (int64_t column = 0; column < std::min(cover.columns, columns_ - cover.left); ++column) {
      const float part = cover.parts[static_cast<size_t>(row * cover.columns + column)];
      float* const pixel = const_cast<float*>(at(cover.top + row, cover.left + column));
      for (int c = 0; c < 3; ++c) pixel[c] += (target[c] - pixel[c]) * part;
    }
  }
}

void Raster::box(double left, double top, double right, double bottom, Color color) {
  const Covered down(top * kScale, bottom * kScale, rows_);
  const Covered across(left * kScale, right * kScale, columns_);
  Cover cover(down.first, across.first, std::ssize(down.parts), std::ssize(across.parts));
  auto to = cover.parts.begin();
  for (const float y : down.parts) {
    for (const float x : across.parts) *to++ = y * x;
  }
  mix(cover, color);
}

void Raster::line(std::span<const Point> points, Color color, double width) {
  const Points one(points.begin(), points.end());
  strokes({&one, 1}, color, width);
}

void Raster::dot(double x, double y, Color color, double width) {
  const Points one{{x, y}};
  strokes({&one, 1}, color, width);
}

void Raster::text(double x, double y, std::string_view text, Color color, double size,
                  Align align) {
  const PlacedText placed = placed_text(text, start_of(text, x, size, align), y, size);
  strokes(placed.lines, color, placed.pen);
}

void Raster::strokes(std::span<const Points> lines, Color color, double width) {
  const auto radius = static_cast<float>(width * kScale / 2);
  float low_x = 0, low_y = 0, high_x = 0, high_y = 0;
  bool is_first = true;
  std::vector<Points> scaled;
  for (const Points& line : lines) {
    if (line.empty()) continue;
    Points& out = scaled.emplace_back();
    for (const Point& point : line) {
      const float x = static_cast<float>(point.x) * kScale,
                  y = static_cast<float>(point.y) * kScale;
      out.push_back({x, y});
      low_x = is_first ? x : std::min(low_x, x), high_x = is_first ? x : std::max(high_x, x);
      low_y = is_first ? y : std::min(low_y, y), high_y = is_first ? y : std::max(high_y, y);
      is_first = false;
    }
  }
  if (scaled.empty()) return;
  const int64_t left = std::max<int64_t>(static_cast<int64_t>(std::floor(low_x - radius - 1)), 0);
  const int64_t top = std::max<int64_t>(static_cast<int64_t>(std::floor(low_y - radius - 1)), 0);
  const int64_t right = std::min(ceiled(high_x + radius + 1), columns_);
  const int64_t bottom = std::min(ceiled(high_y + radius + 1), rows_);
  if (right <= left || bottom <= top) return;
  Cover cover(top, left, bottom - top, right - left);
  for (const Points& line : scaled) stroke(cover, line, width * kScale / 2);
  mix(cover, color);
}

// Adds a line through points: a pixel is covered as far as it lies within the radius.
void Raster::stroke(Cover& cover, std::span<const Point> points, double radius) {
  const auto reach = static_cast<float>(radius), edge = static_cast<float>(radius + 0.5);
  const auto left = static_cast<float>(cover.left), top = static_cast<float>(cover.top);
  for (size_t k = 0; k < std::max<size_t>(points.size() - 1, 1); ++k) {
    const Point &from = points[k], &to = points[std::min(k + 1, points.size() - 1)];
    const float start_x = float(from.x) - left, start_y = float(from.y) - top;
    const float end_x = float(to.x) - left, end_y = float(to.y) - top;
    const auto first = [&](float a, float b) {
      return std::max<int64_t>(static_cast<int64_t>(std::floor(std::min(a, b) - reach - 1)), 0);
    };
    const auto last = [&](float a, float b, int64_t count) {
      return std::min(ceiled(std::max(a, b) + reach + 1), count);
    };
    const float along_x = end_x - start_x, along_y = end_y - start_y;
    const float length = std::max(along_x * along_x + along_y * along_y, 1e-12f);
    const int64_t end_row = last(start_y, end_y, cover.rows);
    const int64_t end_column = last(start_x, end_x, cover.columns);
    for (int64_t row = first(start_y, end_y); row < end_row; ++row) {
      const float y = (static_cast<float>(row) + 0.5f) - start_y;
      for (int64_t column = first(start_x, end_x); column < end_column; ++column) {
        const float x = (static_cast<float>(column) + 0.5f) - start_x;
        const float t = clipped((x * along_x + y * along_y) / length);
        const float away_x = x - t * along_x, away_y = y - t * along_y;
        const float distance = std::sqrt(away_x * away_x + away_y * away_y);
        float& part = cover.at(row, column);
        part = std::max(part, clipped(edge - distance));
      }
    }
  }
}

void Raster::area(std::span<const Point> points, double base, Color color, double opacity) {
  Points scaled;
  float highest = 0;
  for (const Point& point : points) {
    const float x = static_cast<float>(point.x) * kScale, y = static_cast<float>(point.y) * kScale;
    highest = scaled.empty() ? y : std::min(highest, y);
    scaled.push_back({x, y});
  }
  const int64_t first = std::max<int64_t>(static_cast<int64_t>(scaled.front().x), 0);
  const int64_t last = std::min(ceiled(scaled.back().x), columns_);
  const int64_t top = std::max<int64_t>(static_cast<int64_t>(highest), 0);
  const int64_t bottom = std::min(ceiled(base * kScale), rows_);
  const auto floor = static_cast<float>(base * kScale), part = static_cast<float>(opacity);
  Cover cover(top, first, bottom - top, last - first);
  for (int64_t column = 0; column < cover.columns; ++column) {
    const double middle = static_cast<double>(first + column) + 0.5;
    const auto line = static_cast<float>(height_at(scaled, middle));
    for (int64_t row = 0; row < cover.rows; ++row) {
      const auto at = static_cast<float>(top + row);
      cover.at(row, column) = clipped(std::min(floor, at + 1) - std::max(line, at)) * part;
    }
  }
  mix(cover, color);
}

void Raster::image(double left, double top, double cell, const Pixels& image) {
  const int64_t size = rounded(cell * kScale), x = rounded(left * kScale),
                y = rounded(top * kScale);
  for (int64_t row = 0; row < std::min(image.height * size, rows_ - y); ++row) {
    for (int64_t column = 0; column < std::min(image.width * size, columns_ - x); ++column) {
      float* const pixel = const_cast<float*>(at(y + row, x + column));
      const int64_t from = (row / size * image.width + column / size) * 3;
      for (int64_t c = 0; c < 3; ++c) pixel[c] = image.values[static_cast<size_t>(from + c)];
    }
  }
}

std::string Raster::bytes() const {
  const Tensor pixels = Tensor::empty(DType::kU8, Shape{rows_, columns_, 3});
  auto* to = static_cast<uint8_t*>(pixels.writable_data());
  for (const float value : values_) *to++ = static_cast<uint8_t>(std::nearbyint(value));
  return data::encode_png(pixels);
}

}  // namespace weft::train
