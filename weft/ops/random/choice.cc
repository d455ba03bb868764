// random.choice: slices of a tensor, drawn with or without replacement.
#include <algorithm>
#include <limits>

#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/random/random.h"
#include "weft/ops/reduce/check_values.h"
#include "weft/ops/reduce/reduce.h"
#include "weft/ops/shape/shape_ops.h"
#include "weft/ops/sort/sort_ops.h"

namespace weft {
namespace random {
namespace {

struct ChoiceAttrs {
  Shape shape;
  bool replace = true;
  int64_t axis = 0;
  static constexpr auto fields =
      fields_of(field("shape", &ChoiceAttrs::shape, "how many slices, as a shape"),
                field("replace", &ChoiceAttrs::replace, "whether a slice may be drawn again"),
                field("axis", &ChoiceAttrs::axis, "the axis to draw from"));
};

Tensor first_of(const Tensor& x, int64_t count) {
  return slice(x, Index{{.start = {}, .stop = count}});
}

// Weights of float32 or wider; a uniform draw times their sum falls between two partial sums.
Tensor weighted(const Tensor& key, const Tensor& p, int64_t count) {
  const Tensor sums = cumulative_sum(p);
  const Tensor total =
      slice(sums, Index{{.kind = IndexItem::Kind::kInteger, .start = -1, .stop = {}}});
  const Tensor places = uniform(key, Shape{count}, p.dtype()) * total;
  const Tensor last = Tensor::scalar(DType::kI64, static_cast<double>(p.dim(0).value() - 1));
  return minimum(searchsorted(sums, places, /*right=*/true), last);
}

// Requires enough positive weights. `needed_and_shape`: how many, then the shape of the draws, for
// the message.
void require_weights(const InferCtx& cx, TensorSpan p, const Ints& needed_and_shape) {
  if (p[0].numel() == 0) return;
  const Tensor given = as_floating(cx.op, p[0]);
  const Tensor known = cast(given, compute_of(given.dtype()));
  const int64_t needed = needed_and_shape[0];
  const Shape shape(needed_and_shape.begin() + 1, needed_and_shape.end());
  const double least = min(known).item(), greatest = max(known).item();
  cx.require(least >= 0 && greatest <= std::numeric_limits<double>::max(), "weights",
             "p goes from ", least, " to ", greatest, "; it is finite and at least 0");
  // Of a batch the row with the fewest counts.
  const int64_t positive = min(sum(cast(known > 0.0, DType::kI64), Ints{-1})).item_int();
  cx.require(positive >= needed, "enough", positive, " of p are above 0, but shape ", shape,
             " needs ", needed, "; what has no weight is never drawn");
}

// Which of n are drawn, `count` of them.
Tensor drawn(const InferCtx& cx, const ChoiceAttrs& at, TensorSpan in, int64_t n, int64_t count) {
  cx.require(n > 0 || count == 0, "empty", "there is nothing to draw from");
  cx.require(at.replace || count <= n, "enough", "shape ", at.shape, " has ", count,
             " elements, but there are ", n, "; draw with replacement or fewer");
  if (in.size() < 3) {
    if (!at.replace) return first_of(permutation(in[0], n), count);
    return n == 0 ? zeros(Shape{0}, DType::kI64) : randint(in[0], 0, n, Shape{count});
  }
  Tensor given = as_floating(cx.op, in[2]);
  cx.require(given.rank() == 1 && decide_same(given.dim(0), n) != Tri::kNo, "p", "p has shape ",
             given.shape(), ", but there are ", n, " to draw from; it must have a number for each");
  Ints needed_and_shape{at.replace ? std::min<int64_t>(count, 1) : count};
  for (const Dim dim : at.shape) needed_and_shape.push_back(dim.value());
  given = checked(kChoiceWeights, given, {in[2]}, needed_and_shape);
  const Tensor p = cast(given, compute_of(given.dtype()));
  if (at.replace) return weighted(in[0], p, count);
  // Exponentially distributed waiting times, the first to arrive are drawn (Efraimidis, Spirakis).
  const Tensor waits = gumbel(in[0], Shape{n}, p.dtype());
  return topk(log(p) + waits, count).indices;
}

Tensors compose_choice(const ChoiceAttrs& at, TensorSpan in) {
  const InferCtx cx{"choice"};
  words_of_key(cx.op, in[0]);
  fill_infer({at.shape, DType::kI64}, cx, {});
  const Tensor& from = in[1];
  const int64_t count = num_elements(at.shape).value();
  if (from.rank() == 0) {
    cx.require_type(is_integer(from.dtype()), "dtype", "x has dtype ", from.dtype(),
                    " and rank 0; it must be how many numbers to draw from");
    const auto n = static_cast<int64_t>(scalar_value(cx.op, "x", from));
    return {reshape(drawn(cx, at, in, n, count), at.shape)};
  }
  const int64_t axis = cx.axis(at.axis, from.shape());
  const int64_t n = from.dim(axis).value();
  return {take(from, reshape(drawn(cx, at, in, n, count), at.shape), axis)};
}

}  // namespace

Tensor choice(const Tensor& key, const Tensor& x, const Shape& shape, bool replace, const Tensor& p,
              Where where) {
  const ChoiceAttrs attrs{shape, replace};
  if (!p.defined()) return compose(kChoice, inputs(key, x), attrs, where);
  return compose(kChoice, inputs(key, x, p), attrs, where);
}

}  // namespace random

constinit const ValueCheck kChoiceWeights{"choice", "weights", random::require_weights};

constinit const CompositeDef kChoice{
    .name = "choice",
    .module = "random",
    .doc =
        "Slices of `x` along `axis`, which `shape` replaces, or numbers below `x` if it is an "
        "integer of rank 0. Each is equally likely, or as likely as `p` says, which need not sum "
        "to 1. Without replacement no slice is drawn twice.",
    .inputs = {"key: key", "x: any", "p?: floating"},
    .outputs = {"out: any"},
    .attrs = attrs_type<random::ChoiceAttrs>(),
    .laws = {Law{"key", "a key has shape [2]"}, Law{"dtype", "a count is an integer"},
             Law{"empty", "there is something to draw from"},
             Law{"enough", "there are enough to draw without replacement"},
             Law{"p", "p has a number for each"}, Law{"weights", "p is finite and at least 0"},
             Law{"negative", "sizes are at least 0"}},
    .compose = rule<random::compose_choice>(),
    .known_as = {Alias{"numpy", "random.choice"}, Alias{"jax", "random.choice"},
                 Alias{"torch", "multinomial"}},
};

}  // namespace weft
