// cosine_similarity: the cosine of the angle between vectors.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/nn/nn.h"
#include "weft/ops/reduce/reduce.h"

namespace weft {
namespace {

struct CosineAttrs {
  int64_t axis = -1;
  double eps = 1e-8;
  static constexpr auto fields =
      fields_of(field("axis", &CosineAttrs::axis, "the axis of the vectors"),
                field("eps", &CosineAttrs::eps, "the least length of a vector"));
};

Tensors compose_cosine_similarity(const CosineAttrs& at, TensorSpan in) {
  const InferCtx cx{"cosine_similarity"};
  const Tensor a = as_floating(cx.op, in[0]), b = as_floating(cx.op, in[1]);
  const DType dtype = promote(a.dtype(), b.dtype()).value_or(a.dtype()), wide = compute_of(dtype);
  const Shape both = cx.broadcast(a.shape(), b.shape());
  const Ints axis{cx.axis(at.axis, both) - static_cast<int64_t>(both.size())};
  // Half floats have no room for eps.
  const auto unit = [&](const Tensor& given) {
    const Tensor x = broadcast_to(cast(given, wide), both);
    return x / maximum(norm(x, axis, 2, /*keepdims=*/true), at.eps);
  };
  const Tensor unit_b = unit(b);
  return {cast(sum(unit(a) * unit_b, axis), dtype)};
}

}  // namespace

constinit const CompositeDef kCosineSimilarity{
    .name = "cosine_similarity",
    .module = "nn",
    .doc =
        "`sum(a * b) / (|a| * |b|)` along `axis`, with each length at least `eps`, so that it is 0 "
        "for vectors of zeros, with gradient 0. The other axes broadcast.",
    .inputs = {"a: floating", "b: like a"},
    .outputs = {"out: like a"},
    .attrs = attrs_type<CosineAttrs>(),
    .compose = rule<compose_cosine_similarity>(),
    .known_as = {Alias{"torch", "nn.functional.cosine_similarity"},
                 Alias{"tf", "keras.losses.cosine_similarity"},
                 Alias{"optax", "cosine_similarity"}},
};

Tensor nn::cosine_similarity(const Tensor& a, const Tensor& b, int64_t axis, double eps,
                             Where where) {
  return compose(kCosineSimilarity, inputs(a, b), CosineAttrs{axis, eps}, where);
}

}  // namespace weft
