// Numbered classes: targets, their weights, examples left out.
#include "weft/ops/loss/classes.h"

#include "weft/op/decide_shapes.h"
#include "weft/ops/loss/loss_floating.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/reduce/reduce.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {

Tensor with_classes_last(const Tensor& x, int64_t axis) {
  if (axis == x.rank() - 1) return x;
  Ints order;
  for (int64_t d = 0; d < x.rank(); ++d) {
    if (d != axis) order.push_back(d);
  }
  order.push_back(axis);
  return permute_dims(x, order);
}

Tensor class_weights(std::string_view op, const Tensor& weight, Dim classes) {
  InferCtx{op}.require(weight.rank() == 1 && decide_same(weight.dim(0), classes) != Tri::kNo,
                       "weight", "weight has shape ", weight.shape(), " but there are ", classes,
                       " classes; it needs one number for each");
  return weight;
}

ClassRows::ClassRows(std::string_view op, TensorSpan in, int64_t given_axis,
                     std::optional<int64_t> ignore_index) {
  const InferCtx cx{op};
  const int64_t axis = cx.axis(given_axis, in[0].shape());
  rows = with_classes_last(loss_floating(op, in[0]), axis);
  const ShapeView examples = rows.shape().first(static_cast<size_t>(rows.rank()) - 1);
  const Tensor& target = in[1];
  const bool may_be_one_hot = op == "cross_entropy" && target.rank() == in[0].rank();
  cx.require(decide_same(target.shape(), examples) != Tri::kNo, "target", "target has shape ",
             target.shape(), " and input ", in[0].shape(), " with its classes along axis ", axis,
             "; numbered classes need shape ", examples, " (axis says where the classes are)",
             may_be_one_hot ? "; one-hot targets are floats: cast them" : "");
  labels = target;
  if (ignore_index) {
    const Tensor is_counted = not_equal(labels, *ignore_index);
    labels = where(is_counted, labels, 0);
    weights = counts = expand_dims(cast(is_counted, rows.dtype()), -1);
  }
  if (const std::optional<int64_t> classes = decided_value(rows.dim(-1))) {
    labels = class_labels(labels, *classes);
  }
  labels = expand_dims(labels, -1);
  if (in.size() > 2) {
    const Tensor weight = class_weights(op, in[2], rows.dim(-1));
    const Tensor of_examples = take(weight, labels, 0);
    weights = weights.defined() ? weights * of_examples : of_examples;
  }
}

Tensor weighted_by(const Tensor& weights, const Tensor& losses) {
  return weights.defined() ? counted_by(weights, losses) : losses;
}

Tensor ClassRows::reduced(std::string_view op, const Tensor& weighted,
                          std::string_view reduction) const {
  require_reduction(op, reduction);
  if (reduction == "none") return squeeze(weighted, Ints{-1});
  if (reduction == "sum") return sum(weighted);
  if (!weights.defined()) return mean(weighted);
  const Tensor total = sum(weights);
  return sum(weighted) / total;
}

}  // namespace weft
