// Weights of classes, and what a class is.
#include "weft/train/class_weights.h"

#include <algorithm>
#include <cmath>

#include "weft/base/error.h"
#include "weft/op/builtin.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/reduce/reduce.h"
#include "weft/ops/shape/advanced_index.h"
#include "weft/ops/shape/shape_ops.h"
#include "weft/trace/eager_scope.h"

namespace weft::train {
namespace {

bool has_last_of_one(const Tensor& y) { return y.rank() >= 2 && same(y.dim(-1), 1) == Tri::kYes; }
bool is_one_hot(const Tensor& y) {
  return y.rank() >= 2 && is_floating(y.dtype()) && !has_last_of_one(y);
}

// Targets as classes: of several floats an example, one hot, the place of the greatest.
Tensor classes_of(const Tensor& target) {
  if (is_one_hot(target)) return argmax(target, -1);
  const Tensor y = has_last_of_one(target) ? index(target, {kEllipsis, 0}) : target;
  return cast(is_floating(y.dtype()) ? floor(y + 0.5) : y, DType::kI64);
}

// How many classes there are: the size of the axis that outputs have and targets lack, or two of
// one output an example; -1: who knows.
int64_t class_count(const Tensor& out, const Tensor& y) {
  if (is_one_hot(y)) return y.dim(-1).value();
  const int64_t axes = y.rank() - (has_last_of_one(y) ? 1 : 0);
  if (out.rank() == axes) return 2;
  int64_t most = -1;
  for (int64_t k = 1; k < out.rank() && out.rank() == axes + 1; ++k) {
    bool fits = true;
    for (int64_t i = 0; i < axes; ++i)
      fits &= same(out.dim(i < k ? i : i + 1), y.dim(i)) != Tri::kNo;
    if (fits) most = std::max<int64_t>({most, out.dim(k).value(), 2});
  }
  return most;
}

}  // namespace

Tensor class_table(const ClassWeight& weights, std::string_view who) {
  if (weights.empty()) return {};
  if (weights.begin()->first < 0) {
    fail(Code::kInvalid, who, "class_weight", "class_weight names the class ",
         weights.begin()->first, "; classes count from 0");
  }
  for (const auto& [number, weight] : weights) {
    if (std::isfinite(weight) && weight >= 0) continue;
    fail(Code::kInvalid, who, "class_weight", "class_weight gives class ", number, " the weight ",
         weight, "; weights are finite, and 0 or more");
  }
  std::vector<float> table(static_cast<size_t>(weights.rbegin()->first) + 1, 1.0F);
  for (const auto& [number, weight] : weights) {
    table[static_cast<size_t>(number)] = static_cast<float>(weight);
  }
  const Shape shape{Dim(static_cast<int64_t>(table.size()))};
  return Tensor::from_bytes(DType::kF32, shape, std::as_bytes(std::span(table)));
}

void need_classes(const Tensor& table, TensorSpan outputs, TensorSpan y, std::string_view who) {
  if (outputs.size() != 1 || y.size() != 1) return;
  const int64_t count = class_count(outputs[0], y[0]), named = table.dim(0).value();
  if (count < 0 || named <= count) return;
  fail(Code::kInvalid, who, "class_weight", "class_weight names the class ", named - 1,
       ", but the model tells ", count, " classes apart; the last one is ", count - 1);
}

void need_weights(const Tensor& weight, std::string_view who) {
  const EagerScope now;
  const Tensor given = cast(reshape(weight, Shape{num_elements(weight.shape())}), DType::kF64);
  if (given.numel() == 0) return;
  const Tensor is_finite = isfinite(given), is_wrong = logical_not((given >= 0.0) & is_finite);
  if (any(is_wrong).item_int() == 0) return;
  const int64_t at = argmax(cast(is_wrong, DType::kU8)).item_int();
  const int64_t rows = weight.dim(0).value();
  fail(Code::kInvalid, who, "sample_weight", "the weight of example ", at / (weight.numel() / rows),
       " is ", given.to_vector<double>()[static_cast<size_t>(at)],
       "; weights are finite, and 0 or more");
}

void weigh(Batch& batch, const Tensor& table) {
  if (!table.defined()) return;
  if (batch.y.size() != 1) {
    fail(Code::kInvalid, "fit", "class_weight", "there are weights of classes for ", batch.y.size(),
         " targets; they need one target, of classes");
  }
  const Tensor classes = classes_of(batch.y[0]);
  const int64_t last = table.dim(0).value() - 1;
  const Tensor is_class = classes >= 0, is_named = classes <= last;
  const Tensor is_in = logical_and(is_class, is_named);
  const Tensor by_class = take(table, minimum(maximum(classes, 0), last), 0);
  const Tensor weights = where(is_in, by_class, Tensor::scalar(DType::kF32, 1));
  if (!batch.weight.defined()) {
    batch.weight = weights;
    return;
  }
  Tensor given = cast(batch.weight, DType::kF32);
  bool fits = given.rank() <= weights.rank();
  for (int64_t axis = 0; fits && axis < given.rank(); ++axis) {
    fits = same(given.dim(axis), weights.dim(axis)) != Tri::kNo;
  }
  if (!fits) {
    fail(Code::kInvalid, "fit", "sample_weight", "there are weights of examples of shape ",
         given.shape(), ", and targets of ", weights.shape(), "; it has a number for each example");
  }
  while (given.rank() < weights.rank()) given = expand_dims(given, -1);
  batch.weight = weights * given;
}

}  // namespace weft::train
