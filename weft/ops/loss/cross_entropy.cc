// cross_entropy: softmax and the negative log-likelihood in one, from logits.
//
// Numbered classes go through two ops of their own: a row of logits is read once forward, and once
// more for its gradient; no log-probabilities and no one-hot rows are ever in memory.
#include "weft/core/native.h"
#include "weft/op/apply.h"
#include "weft/op/native_outputs.h"
#include "weft/ops/loss/classes.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/math/sum_of.h"
#include "weft/ops/nn/nn.h"
#include "weft/ops/reduce/reduce.h"
#include "weft/ops/shape/indexing.h"

namespace weft {
namespace {

struct CrossEntropyAttrs {
  int64_t axis = -1;
  double label_smoothing = 0;
  std::optional<int64_t> ignore_index;
  std::string reduction = "mean";
  static constexpr auto fields =
      fields_of(field("axis", &CrossEntropyAttrs::axis, "the axis of the classes"),
                field("label_smoothing", &CrossEntropyAttrs::label_smoothing,
                      "how much of each target is spread evenly over all classes"),
                field("ignore_index", &CrossEntropyAttrs::ignore_index,
                      "examples with this target count nothing; none if left out"),
                field("reduction", &CrossEntropyAttrs::reduction,
                      "\"mean\", \"sum\", or \"none\" for all of them"));
};

// The shape of the rows that `x` [..., classes], labels [..., 1] and cotangents [..., 1] make.
Shape rows_shape(const InferCtx& cx, TypeSpan in) {
  cx.require(!in[0].shape.empty(), "rank", "x has rank 0; it needs an axis of classes");
  require_index_dtype(cx, in[1].dtype);
  Shape out = in[0].shape;
  for (const Type& row : in.subspan(1)) {
    cx.require(!row.shape.empty() && same(row.shape.back(), 1) != Tri::kNo, "row",
               "an input has shape ", row.shape,
               "; it has one number for each row of x, so its last axis has size 1");
    out = cx.broadcast(out, row.shape);
  }
  return out;
}
Types rows_infer(const NoAttrs&, const InferCtx& cx, TypeSpan in) {
  Shape shape = rows_shape(cx, in);
  shape.back() = 1;
  return {{in[0].dtype, shape}};
}
Types vjp_infer(const NoAttrs&, const InferCtx& cx, TypeSpan in) {
  return {{in[0].dtype, rows_shape(cx, in)}};
}

Tensor broadcast_row(const Tensor& row, ShapeView full, Where where = {}) {
  Shape shape(full);
  shape.back() = 1;
  return broadcast_to(row, shape, where);
}

void run_rows(const NoAttrs&, TensorSpan in, TensorSpan out) {
  Shape full(out[0].shape());
  full.back() = in[0].dim(-1);
  const Tensor x = broadcast_to(in[0], full);
  const Tensor picked = Tensor::empty(out[0].dtype(), out[0].shape());
  native::gather(picked, x, broadcast_row(index_tensor(in[1]), full), x.rank() - 1,
                 {"cross_entropy", "range"});
  eager_compute_into(kLogsumexpRows, inputs(x, picked), &kNoAttrs, out);
}

// Half floats take the difference in f32.
void run_vjp(const NoAttrs&, TensorSpan in, TensorSpan out) {
  const DType wide = compute_of(out[0].dtype());
  const Shape shape(out[0].shape());
  const Tensor x = broadcast_to(in[0], shape), g = cast(in[2], wide);
  const Tensor shares = output_in(wide, out[0]);
  eager_compute_into(kLogsumexpVjp, inputs(cast(x, wide), g), &kNoAttrs, {&shares, 1});
  native::scatter_add(shares, broadcast_row(index_tensor(in[1]), shape), broadcast_row(-g, shape),
                      x.rank() - 1, {"cross_entropy", "range"});
  store(out[0], shares);
}

// softmax(x) * g, and with g = 1.
Tensor shares(const Tensor& x, const Tensor& g, Where where) {
  return apply(kLogsumexpVjp, inputs(x, g), kNoAttrs, where);
}
Tensor shares(const Tensor& x, Where where) {
  Shape rows(x.shape());
  rows.back() = 1;
  return shares(x, broadcast_to(Tensor::scalar(x.dtype(), 1), rows, where), where);
}

// The directional derivative of the loss along `t`; the labels may have more axes than both.
Tensor along(const Tensor& x, const Tensor& labels, const Tensor& t, Where where) {
  Shape full = InferCtx{"cross_entropy"}.broadcast(t.shape(), labels.shape());
  const Tensor places = broadcast_row(labels, full, where);
  const Tensor picked = gather(broadcast_to(t, full, where), places, -1, where);
  return row_total(multiply_no_nan(shares(x, where), t, where), where) - picked;
}

Tensors vjp(const NoAttrs&, const GradCtx& cx, TensorSpan g) {
  return {apply(kCrossEntropyVjp, inputs(cx.inputs[0], cx.inputs[1], g[0]), kNoAttrs, cx.where),
          Tensor()};
}
Tensors jvp(const NoAttrs&, const GradCtx& cx, TensorSpan t) {
  return {along(cx.inputs[0], cx.inputs[1], t[0], cx.where)};
}

// Of out = (share - onehot) * g: only the share changes with x, by share * (dx - sum(share * dx)).
Tensors backward_vjp(const NoAttrs&, const GradCtx& cx, TensorSpan u) {
  const Tensor &x = cx.inputs[0], &g = cx.inputs[2];
  const Tensor change = multiply_no_nan(shares(x, g, cx.where), u[0], cx.where);
  const Tensor total = row_total(change, cx.where);
  return {change - multiply_no_nan(shares(x, cx.where), total, cx.where), Tensor(),
          along(x, cx.inputs[1], u[0], cx.where)};
}
Tensors backward_jvp(const NoAttrs&, const GradCtx& cx, TensorSpan t) {
  const Tensor &x = cx.inputs[0], &labels = cx.inputs[1], &g = cx.inputs[2];
  Tensor out;
  if (t[2].defined()) {
    out = apply(kCrossEntropyVjp, inputs(x, labels, t[2]), kNoAttrs, cx.where);
  }
  if (t[0].defined()) {
    const Tensor share = shares(x, cx.where);
    const Tensor mean = row_total(multiply_no_nan(share, t[0], cx.where), cx.where);
    const Tensor change = t[0] - mean;
    const Tensor term = multiply_no_nan(shares(x, g, cx.where), change, cx.where);
    out = sum_of(out, term);
  }
  return {out};
}

Tensor of_probabilities(const CrossEntropyAttrs& at, TensorSpan in) {
  const InferCtx cx{"cross_entropy"};
  cx.require(in[1].rank() == in[0].rank(), "shape", "target has dtype ", in[1].dtype(),
             " and shape ", in[1].shape(), ", but probabilities have the shape of input, ",
             in[0].shape(), "; numbers of classes are integers: cast them");
  const auto [logits, given] = loss_inputs(cx.op, in);
  cx.require(!at.ignore_index, "ignored", "ignore_index is ", at.ignore_index.value_or(0),
             ", but targets are probabilities; only numbered classes can be left out");
  const int64_t axis = cx.axis(at.axis, logits.shape());
  Tensor target = given, terms = -log_softmax(logits, axis);
  if (at.label_smoothing > 0) {
    const Tensor classes = cast(divisor(logits, Ints{axis}), target.dtype());
    const Tensor even = at.label_smoothing / classes;
    target = target * (1 - at.label_smoothing) + even;
  }
  if (in.size() > 2) {
    Shape along_classes(static_cast<size_t>(logits.rank()), Dim(1));
    along_classes[static_cast<size_t>(axis)] = logits.dim(axis);
    terms = terms * reshape(class_weights(cx.op, in[2], logits.dim(axis)), along_classes);
  }
  const Tensor losses = sum(counted_by(target, terms), Ints{axis});
  return reduced_loss(cx.op, losses, at.reduction);
}

// The part of the target that is spread evenly: minus the mean of all log-probabilities, weighted.
Tensor even_losses(const ClassRows& classes, TensorSpan in) {
  Tensor terms = -log_softmax(classes.rows, -1);
  if (in.size() > 2) terms = terms * in[2];
  return mean(terms, Ints{-1}, true);
}

Tensor of_classes(const CrossEntropyAttrs& at, TensorSpan in) {
  const ClassRows classes("cross_entropy", in, at.axis, at.ignore_index);
  const Tensor losses =
      apply(kCrossEntropyRows, inputs(classes.rows, classes.labels), kNoAttrs, Where{});
  Tensor weighted = weighted_by(classes.weights, losses);
  if (at.label_smoothing > 0) {
    const Tensor all = weighted_by(classes.counts, even_losses(classes, in));
    const Tensor even = all * at.label_smoothing;
    weighted = weighted * (1 - at.label_smoothing) + even;
  }
  return classes.reduced("cross_entropy", weighted, at.reduction);
}

Tensors compose_cross_entropy(const CrossEntropyAttrs& at, TensorSpan in) {
  const InferCtx cx{"cross_entropy"};
  require_reduction(cx.op, at.reduction);
  cx.require(0 <= at.label_smoothing && at.label_smoothing <= 1, "smoothing", "label_smoothing is ",
             at.label_smoothing, "; it must be between 0 and 1");
  const bool numbered = kind_of(in[1].dtype()) <= Kind::kInteger;
  return {numbered ? of_classes(at, in) : of_probabilities(at, in)};
}

}  // namespace

constinit const CompositeDef kCrossEntropy{
    .name = "cross_entropy",
    .module = "nn",
    .doc =
        "The cross-entropy of `softmax(input)` along `axis`: `logsumexp(input) - input[target]` "
        "where `target` is the number of each example's class, times the `weight` of that class, "
        "or `-sum(weight * target * log_softmax(input))` where it has a probability for each "
        "class. `label_smoothing` spreads that much of each target evenly over the classes. Of "
        "these the sum, with \"none\" all, or the mean: for numbered classes their sum by the sum "
        "of the weights. Examples whose target is `ignore_index` count nothing. The "
        "classes stand on the last axis; where they stand on axis 1, as in PyTorch, say `axis=1`.",
    .inputs = {"input: floating", "target: any", "weight?: like input"},
    .outputs = {"out: floating"},
    .attrs = attrs_type<CrossEntropyAttrs>(),
    .laws = {Law{"target", "`target` has the shape of `input` without the axis of the classes"},
             Law{"shape", "probabilities have the shape of `input`"}, kClassWeightLaw,
             kReductionLaw, Law{"smoothing", "`label_smoothing` is between 0 and 1"},
             Law{"ignored", "`ignore_index` goes with numbered classes"},
             Law{"range", "numbers of classes are in range"}},
    .compose = rule<compose_cross_entropy>(),
    .known_as = {Alias{"torch",
                       "nn.functional.cross_entropy: its classes stand on axis 1, ours on the "
                       "last; ours ignores no index unless told"},
                 Alias{"tf",
                       "nn.sparse_softmax_cross_entropy_with_logits: ours takes logits first, and "
                       "gives the mean unless reduction=\"none\""},
                 Alias{"tf",
                       "nn.softmax_cross_entropy_with_logits: ours takes logits first, and gives "
                       "the mean unless reduction=\"none\""},
                 Alias{"optax", "softmax_cross_entropy_with_integer_labels"}},
};

constinit const OpDef kCrossEntropyRows{
    .name = "cross_entropy.rows",
    .module = "nn",
    .doc = "`logsumexp(x) - x[label]` along the last axis, with one label for each row.",
    .inputs = {"x: floating", "labels: integer"},
    .outputs = {"out: like x"},
    .laws = {Law{"rank", "`x` has an axis of classes"},
             Law{"row", "there is one label for each row of `x`"},
             Law{"index_dtype", "labels fit int64"}},
    .infer = rule<rows_infer>(),
    .grad = derive::rules<vjp, jvp>().reading(0b11, false).except(1, "labels are integers"),
    .batch = batch::broadcasting(),
    .kernel = kernel::native<run_rows>(),
};

constinit const OpDef kCrossEntropyVjp{
    .name = "cross_entropy.vjp",
    .module = "nn",
    .doc =
        "`(softmax(x) - onehot(label)) * g` along the last axis, with one label and one `g` for "
        "each row: the cotangent of cross_entropy.rows.",
    .inputs = {"x: floating", "labels: integer", "g: like x"},
    .outputs = {"out: like x"},
    .laws = {Law{"rank", "`x` has an axis of classes"},
             Law{"row", "there is one label and one cotangent for each row of `x`"},
             Law{"index_dtype", "labels fit int64"}},
    .infer = rule<vjp_infer>(),
    .grad = derive::rules<backward_vjp, backward_jvp>().except(1, "labels are integers"),
    .batch = batch::broadcasting(),
    .kernel = kernel::native<run_vjp>(),
};

Tensor nn::cross_entropy(const Tensor& logits, const Tensor& target, const Tensor& weight,
                         const CrossEntropyOptions& options, Where where) {
  const CrossEntropyAttrs at{options.axis, options.label_smoothing, options.ignore_index,
                             reduction_text(options.reduction)};
  return compose(kCrossEntropy, inputs(logits, target, weight), at, where);
}

}  // namespace weft
