// draw_images.
#include <algorithm>
#include <cmath>
#include <limits>

#include "weft/base/error.h"
#include "weft/op/builtin.h"
#include "weft/ops/shape/shape_ops.h"
#include "weft/train/picture/canvas.h"
#include "weft/train/picture/font.h"
#include "weft/train/picture/pictures.h"

namespace weft::train {
namespace {

constexpr std::string_view kWho = "draw_images";
constexpr Color kRight{0x2e, 0x8b, 0x57}, kWrong{0xcc, 0x3d, 0x3d};
constexpr double kGap = 18, kAbove = 14;

bool is_color(int64_t channels) { return channels == 1 || channels == 3; }

// [n, h, w, channels], or [draw_images.shape].
Tensor channels_last(const Tensor& given) {
  Ints sizes;
  for (const Dim& size : given.shape()) sizes.push_back(size.value());
  Tensor out = given;
  if (sizes.size() == 4 && is_color(sizes[1]) && !is_color(sizes[3])) {
    out = permute_dims(given, {0, 2, 3, 1});
    sizes = {sizes[0], sizes[2], sizes[3], sizes[1]};
  }
  if (sizes.size() == 3) {
    sizes.push_back(1);
    out = expand_dims(given, -1);
  }
  if (sizes.size() != 4 || !is_color(sizes[3]) || given.numel() == 0) {
    fail(Code::kInvalid, kWho, "shape", "images have shape ", given.shape(),
         "; they are [n, h, w], [n, c, h, w] or [n, h, w, c] with 1 or 3 channels");
  }
  return out;
}

// Spreads values that leave 0 to 1, and makes 0 to 255 of them. NaN is black.
void stretch(std::vector<float>& values) {
  float low = std::numeric_limits<float>::infinity(), high = -low;
  for (const float value : values) {
    if (!std::isnan(value)) low = std::min(low, value), high = std::max(high, value);
  }
  const bool is_spread = low <= high && (low < 0 || high > 1);
  const float range = high - low != 0 ? high - low : 1.0f;
  for (float& value : values) {
    if (is_spread) value = (value - low) / range;
    value = std::isnan(value) ? 0.0f : value * 255.0f;
  }
}

std::vector<Pixels> pixels_of(const Tensor& images) {
  const Tensor all = channels_last(images);
  const int64_t height = all.dim(1).value(), width = all.dim(2).value();
  const int64_t channels = all.dim(3).value(), size = height * width;
  std::vector<float> values = cast(all, DType::kF32).to_vector<float>();
  if (images.dtype() != DType::kU8) stretch(values);
  std::vector<Pixels> out(static_cast<size_t>(all.dim(0).value()));
  auto from = values.begin();
  for (Pixels& one : out) {
    one = {height, width, {}};
    for (int64_t k = 0; k < size; ++k, from += channels) {
      for (int64_t c = 0; c < 3; ++c) {
        const float value = std::clamp(std::nearbyint(from[channels == 1 ? 0 : c]), 0.0f, 255.0f);
        one.values.push_back(static_cast<uint8_t>(value));
      }
    }
  }
  return out;
}

std::vector<std::string> lines_of(const std::string& caption) {
  std::vector<std::string> out;
  for (size_t begin = 0; begin <= caption.size();) {
    const size_t end = std::min(caption.find('\n', begin), caption.size());
    out.push_back(caption.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

double size_of_line(size_t place) { return place == 0 ? 10 : 9; }

void require_count(size_t images, size_t given, std::string_view what) {
  if (given == images) return;
  fail(Code::kInvalid, kWho, "count", "there are ", images, " images, but ", given, " ", what,
       "; each image has one");
}

}  // namespace

void draw_images(const std::string& path, const Tensor& images, const ImageOptions& options) {
  const std::vector<Pixels> pixels = pixels_of(images);
  const size_t count = pixels.size();
  std::vector<std::string> captions = options.captions;
  if (captions.empty()) captions.resize(count);
  require_count(count, captions.size(), "captions");
  if (options.wrong) require_count(count, options.wrong->size(), "marks in wrong");
  if (options.columns < 1) {
    fail(Code::kInvalid, kWho, "columns", "columns is ", options.columns, "; it is 1 or more");
  }
  const size_t columns = std::min(static_cast<size_t>(options.columns), count);
  const size_t rows = (count + columns - 1) / columns;
  const int64_t longest = std::max(pixels[0].height, pixels[0].width);
  const double cell = std::max(1.0, std::nearbyint(96 / static_cast<double>(longest) * 2)) / 2;
  const double high = static_cast<double>(pixels[0].height) * cell;  // whole pixels
  const double wide = static_cast<double>(pixels[0].width) * cell;

  std::vector<std::vector<std::string>> lines;
  size_t most_lines = 1;
  bool has_captions = false;
  double inside = wide;
  for (const std::string& caption : captions) {
    lines.push_back(lines_of(caption));
    most_lines = std::max(most_lines, lines.back().size());
    has_captions |= !caption.empty();
    for (size_t k = 0; k < lines.back().size(); ++k) {
      inside = std::max(inside, width_of(lines.back()[k], size_of_line(k)));
    }
  }
  const double step_x = inside + kGap;
  const double below = has_captions ? 34 + 12 * static_cast<double>(most_lines - 1) : kAbove;
  const double step_y = high + below;
  const auto canvas = canvas_for(path, step_x * static_cast<double>(columns) + kGap,
                                 step_y * static_cast<double>(rows) + kAbove, kWho);
  for (size_t k = 0; k < count; ++k) {
    const double x = kGap + step_x * static_cast<double>(k % columns) + (inside - wide) / 2;
    const double y = kAbove + step_y * static_cast<double>(k / columns);
    const bool is_marked = options.wrong.has_value();
    const Color mark = is_marked && (*options.wrong)[k] ? kWrong : kRight;
    const double edge = is_marked ? 2 : 1;
    canvas->box(x - edge, y - edge, x + wide + edge, y + high + edge, is_marked ? mark : kRule);
    canvas->image(x, y, cell, pixels[k]);
    for (size_t place = 0; place < lines[k].size(); ++place) {
      canvas->text(x + wide / 2, y + high + 16 + 12 * static_cast<double>(place), lines[k][place],
                   place > 0   ? kSoft
                   : is_marked ? mark
                               : kInk,
                   size_of_line(place), Align::kCenter);
    }
  }
  write_picture(path, *canvas, kWho);
}

}  // namespace weft::train
