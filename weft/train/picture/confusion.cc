// draw_confusion.
#include <algorithm>
#include <cmath>

#include "weft/base/error.h"
#include "weft/base/grouped.h"
#include "weft/nn/repr.h"
#include "weft/op/builtin.h"
#include "weft/train/picture/canvas.h"
#include "weft/train/picture/font.h"
#include "weft/train/picture/numbers.h"
#include "weft/train/picture/pictures.h"

namespace weft::train {
namespace {

constexpr std::string_view kWho = "draw_confusion";
constexpr Color kEmpty{0xf4, 0xf7, 0xfa}, kRight{0x17, 0x4a, 0x7e}, kWrong{0xa3, 0x3b, 0x2c};
constexpr double kRoomForNames = 52;  // that columns are made wide for
constexpr double kHigh = 28;          // a row

// 12,345 or 12,345.5
std::string counted(double value, bool is_whole) {
  return grouped(is_whole ? fixed(value, 0) : nn::shown(value));
}

struct Matrix {
  size_t count;
  bool is_whole;
  std::vector<double> values, sums;
  double total = 0, right = 0;

  explicit Matrix(const Tensor& given) : is_whole(!is_floating(given.dtype())) {
    const ShapeView shape = given.shape();
    if (shape.size() != 2 || shape[0].value() != shape[1].value() || given.numel() == 0) {
      fail(Code::kInvalid, kWho, "matrix", "the matrix has shape ", shape,
           "; it needs a row and a column for each class");
    }
    count = static_cast<size_t>(shape[0].value());
    values = cast(given, DType::kF64).to_vector<double>();
    sums.resize(count);
    for (size_t k = 0; k < values.size(); ++k) sums[k / count] += values[k];
    for (const double sum : sums) total += sum;
    for (size_t k = 0; k < count; ++k) right += at(k, k);
  }
  double at(size_t row, size_t column) const { return values[row * count + column]; }
  std::string text_at(size_t row, size_t column) const {
    return counted(at(row, column), is_whole);
  }
  std::string line() const {
    if (total == 0) return "nothing was counted";
    return text(counted(right, is_whole), " of ", counted(total, is_whole), " right (",
                fixed(right / total * 100, 1), "%); rows are true, columns said");
  }
};

}  // namespace

void draw_confusion(const std::string& path, const Tensor& matrix,
                    std::vector<std::string> labels) {
  const Matrix counts(matrix);
  if (labels.empty()) {
    for (size_t k = 0; k < counts.count; ++k) labels.push_back(text(k));
  }
  if (labels.size() != counts.count) {
    fail(Code::kInvalid, kWho, "labels", "there are ", labels.size(), " labels for ", counts.count,
         " classes; each class has one");
  }
  double widest = 0;
  for (const std::string& name : labels) widest = std::max(widest, width_of(name, 10));
  double cell = std::max(26.0, std::min(widest + 6, kRoomForNames));
  for (const double value : counts.values) {
    cell = std::max(cell, width_of(counted(value, counts.is_whole), 10) + 10);
  }
  // Long names of columns stand in steps, so that they do not run into each other.
  const bool is_stepped = widest > cell - 4;
  const double left = 34 + widest, top = 72 + (is_stepped ? 12 : 0);
  const auto classes = static_cast<double>(counts.count);
  const double width =
      std::max(cell * classes + std::max(0.0, widest - cell) / 2, width_of(counts.line(), 9.5));
  const auto canvas = canvas_for(path, left + width + 24, top + kHigh * classes + 24, kWho);
  canvas->text(left, 26, "confusion matrix", kInk, 13);
  canvas->text(left, 43, counts.line(), kSoft, 9.5);
  for (size_t row = 0; row < counts.count; ++row) {
    const double y = top + kHigh * static_cast<double>(row);
    const double shift = is_stepped && row % 2 == 1 ? 12 : 0;
    canvas->text(left - 8, y + 17.5, labels[row], kSoft, 10, Align::kRight);
    canvas->text(left + cell * (static_cast<double>(row) + 0.5), top - 6 - shift, labels[row],
                 kSoft, 10, Align::kCenter);
    for (size_t column = 0; column < counts.count; ++column) {
      const double value = counts.at(row, column);
      const double part = counts.sums[row] != 0 ? value / counts.sums[row] : 0;
      const double x = left + cell * static_cast<double>(column);
      const Color fill = blend(kEmpty, row == column ? kRight : kWrong, std::pow(part, 0.6));
      canvas->box(x + 0.5, y + 0.5, x + cell - 0.5, y + 27.5, fill);
      if (value == 0) continue;
      canvas->text(x + cell / 2, y + 17.5, counts.text_at(row, column), part > 0.35 ? kWhite : kInk,
                   10, Align::kCenter);
    }
  }
  write_picture(path, *canvas, kWho);
}

}  // namespace weft::train
