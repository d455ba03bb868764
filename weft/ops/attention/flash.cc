// flash_attention: softmax(q k^T + mask) v, block by block, without the matrix of weights.
//
// Milakov and Gimelshein 2018 (online softmax), Dao et al. 2022 (blocks, recomputed backwards).
#include <algorithm>

#include "weft/base/thread_pool.h"
#include "weft/core/native.h"
#include "weft/op/apply.h"
#include "weft/ops/attention/attention.h"
#include "weft/ops/linalg/linalg.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

Types flash_infer(const FlashAttrs&, const InferCtx& cx, TypeSpan in) {
  const Shape &q = in[0].shape, &k = in[1].shape, &v = in[2].shape;
  cx.require(q.size() == 5 && k.size() == 4 && v.size() == 4, "rank", "q, k and v have shapes ", q,
             ", ", k, " and ", v, "; they must have 5, 4 and 4 axes");
  const auto equal_at = [&](const Shape& a, size_t i, const Shape& b, size_t j) {
    return same(a[i], b[j]) != Tri::kNo;
  };
  cx.require(equal_at(q, 0, k, 0) && equal_at(q, 1, k, 1) && equal_at(q, 4, k, 3) &&
                 equal_at(k, 0, v, 0) && equal_at(k, 1, v, 1) && equal_at(k, 2, v, 2),
             "shape", "q, k and v have shapes ", q, ", ", k, " and ", v,
             "; they must be [batch, heads, groups, queries, features], [batch, heads, keys, "
             "features] and [batch, heads, keys, ..]");
  const Shape scores{q[0], q[1], q[2], q[3], k[2]};
  if (in.size() > 3) {
    cx.require(
        in[3].shape.size() == 5 && same(cx.broadcast(scores, in[3].shape), scores) != Tri::kNo,
        "mask", "the mask has shape ", in[3].shape, ", which has not 5 axes that broadcast to ",
        scores);
  }
  Shape out = q, lse = q;
  out.back() = v[3];
  lse.back() = 1;
  return {{in[0].dtype, out}, {in[0].dtype, lse}};
}

// The state of a block of queries.
struct Accumulated {
  Tensor out, greatest, total;
};

template <class T>
void shrink_and_add(const Accumulated& to, const Tensor& shrink, const Tensor& term) {
  const int64_t rows = to.out.dim(0).value(), columns = to.out.dim(1).value();
  T* out = static_cast<T*>(to.out.writable_data());
  const T* by = static_cast<const T*>(shrink.data());
  const T* more = static_cast<const T*>(term.data());
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) out[j] = out[j] * by[i] + more[j];
    out += columns, more += columns;
  }
}

template <class T>
void divide_rows(const Accumulated& by, const Tensor& out) {
  const int64_t rows = out.dim(0).value(), columns = out.dim(1).value();
  T* const to = static_cast<T*>(out.writable_data());
  const T* const total = static_cast<const T*>(by.total.data());
  for (int64_t i = 0; i < rows; ++i) {
    const T divisor = total[i] == T(0) ? T(1) : total[i];
    for (int64_t j = 0; j < columns; ++j) to[i * columns + j] /= divisor;
  }
}

struct Forward {
  const FlashSizes sizes;
  const FlashBlocks blocks;
  Tensor q, k, v, out, greatest, total;  // contiguous, of one dtype

  // Queries [first, first + count) of one head.
  void block(int64_t matrix, int64_t first, int64_t count) const {
    const int64_t head = matrix / sizes.groups, dims = sizes.value_features;
    const Tensor queries = FlashBlocks::rows(q, matrix, first, count);
    Accumulated sum{FlashBlocks::rows(out, matrix, first, count), {}, {}};
    const DType dtype = q.dtype();
    sum.greatest = Tensor::scalar(dtype, -__builtin_inf());
    sum.total = Tensor::scalar(dtype, 0);
    const int64_t seen = blocks.keys_seen(first + count);
    for (int64_t key = 0; key < seen; key += kKeyBlock) {
      const int64_t keys = std::min(kKeyBlock, seen - key);
      const Tensor scores = Tensor::empty(dtype, Shape{count, keys});
      const Tensor own = FlashBlocks::rows(k, head, key, keys);
      native::matmul(scores, queries,
                     own.view(Shape{sizes.features, keys}, Ints{1, sizes.features}));
      const Tensor mask = blocks.mask(head / sizes.heads, head % sizes.heads, matrix % sizes.groups,
                                      first, count, key, keys);
      const Tensors step =
          apply_all(kFlashStep, inputs(scores, mask, sum.greatest, sum.total), kNoAttrs, Where{});
      sum.greatest = step[1], sum.total = step[2];
      const Tensor values = FlashBlocks::rows(v, head, key, keys);
      if (key == 0) {
        native::matmul(sum.out, step[0], values);
        continue;
      }
      const Tensor term = Tensor::empty(dtype, Shape{count, dims});
      native::matmul(term, step[0], values);
      dtype == DType::kF64 ? shrink_and_add<double>(sum, step[3], term)
                           : shrink_and_add<float>(sum, step[3], term);
    }
    dtype == DType::kF64 ? divide_rows<double>(sum, sum.out) : divide_rows<float>(sum, sum.out);
    native::copy(FlashBlocks::rows(greatest, matrix, first, count), sum.greatest);
    native::copy(FlashBlocks::rows(total, matrix, first, count), sum.total);
  }
};

Tensors run(const FlashAttrs& at, TensorSpan in, TypeSpan types) {
  const DType dtype = in[0].dtype(), wide = compute_of(dtype);
  const auto ready = [&](size_t i) { return packed(cast(in[i], wide)); };
  const Tensor mask = in.size() > 3 ? cast(in[3], wide) : Tensor();
  const FlashSizes sizes(in[0], in[1], in[2]);
  const Forward work{sizes,
                     FlashBlocks(sizes, mask, at.causal, wide),
                     ready(0),
                     ready(1),
                     ready(2),
                     Tensor::empty(wide, types[0].shape),
                     Tensor::empty(wide, types[1].shape),
                     Tensor::empty(wide, types[1].shape)};
  if (sizes.keys == 0) {
    native::fill(work.out, Tensor::scalar(wide, 0).data());
    native::fill(work.total, Tensor::scalar(wide, 0).data());
    native::fill(work.greatest, Tensor::scalar(wide, -__builtin_inf()).data());
  } else if (work.total.numel() > 0) {
    const int64_t parts = (sizes.queries + kQueryBlock - 1) / kQueryBlock;
    parallel_for(sizes.batch * sizes.heads * sizes.groups * parts, [&](int64_t task) {
      const int64_t first = task % parts * kQueryBlock;
      work.block(task / parts, first, std::min(kQueryBlock, sizes.queries - first));
    });
  }
  const Tensor lse = work.greatest + log(work.total);
  return {cast(work.out, dtype), cast(lse, dtype)};
}

// delta = sum(g * out) less the cotangent of lse: what the cotangents of the weights are counted
// from.
Tensors vjp(const FlashAttrs& at, const GradCtx& cx, TensorSpan g) {
  const Tensor &q = cx.inputs[0], &out = cx.outputs[0], &lse = cx.outputs[1];
  const bool masked = cx.inputs.size() > 3;
  const Tensor go = g[0].defined() ? g[0] : zeros(Shape(out.shape()), out.dtype(), cx.where);
  Tensor delta = sum(multiply_no_nan(out, go, cx.where), Ints{-1}, true, cx.where);
  if (g[1].defined()) delta = delta - g[1];
  const Tensor stats = concat(inputs(lse, delta), -1, cx.where);
  Tensors in{q, cx.inputs[1], cx.inputs[2], go, stats};
  if (masked) in.push_back(cx.inputs[3]);
  Tensors all = apply_all(kFlashVjp, in, at, cx.where);
  if (!masked) return all;
  all.push_back(Tensor());
  if (cx.wanted[3]) {
    const PlainAttention plain(at, q, cx.inputs[1], cx.inputs[2], cx.inputs[3], cx.where);
    const Tensor gp = matmul(go, transposed(plain.v, cx.where), cx.where);
    all[3] = plain.probabilities(lse) * (gp - delta);
  }
  return all;
}

Tensors jvp(const FlashAttrs& at, const GradCtx& cx, TensorSpan t) {
  const bool masked = cx.inputs.size() > 3;
  const PlainAttention plain(at, cx.inputs[0], cx.inputs[1], cx.inputs[2],
                             masked ? cx.inputs[3] : Tensor(), cx.where);
  const Tensor weights = plain.probabilities(cx.outputs[1]);
  Tensor scores, out, lse;
  const auto add_scores = [&](const Tensor& x) { scores = scores.defined() ? scores + x : x; };
  if (t[0].defined()) add_scores(matmul(t[0], transposed(plain.k, cx.where), cx.where));
  if (t[1].defined()) {
    add_scores(matmul(plain.q, transposed(expand_dims(t[1], 2), cx.where), cx.where));
  }
  if (masked && t[3].defined()) add_scores(t[3]);
  if (scores.defined()) {
    const Tensor turned = multiply_no_nan(broadcast_to(scores, Shape(weights.shape())), weights);
    lse = sum(turned, Ints{-1}, true, cx.where);
    out = matmul(turned - weights * lse, plain.v, cx.where);
  }
  if (t[2].defined()) {
    const Tensor moved = matmul(weights, expand_dims(t[2], 2), cx.where);
    out = out.defined() ? out + moved : moved;
  }
  return {out, lse};
}

Tensors batched(const FlashAttrs& at, const BatchCtx& cx) {
  return flash_batched(kFlash, 3, at, cx);
}

}  // namespace

constinit const OpDef kFlash{
    .name = "flash_attention",
    .module = "nn",
    .doc =
        "`softmax(q k^T + mask) v` for scaled queries [batch, heads, groups, queries, features], "
        "and keys and values [batch, heads, keys, features] that all groups of a head share; and "
        "the logsumexp of the scores. Memory is linear in queries and keys: for each 128 queries, "
        "keys are taken in blocks of 256 in ascending order; weights are counted from the greatest "
        "score so far, sums of earlier blocks multiplied by `exp(old - new)` before the block's "
        "are added. A query that sees no key gives 0. scaled_dot_product_attention is the one to "
        "call.",
    .inputs = {"q: floating", "k: like q", "v: like q", "mask?: like q"},
    .outputs = {"out: like q", "lse: like q"},
    .attrs = attrs_type<FlashAttrs>(),
    .laws = {Law{"rank", "q, k and v have 5, 4 and 4 axes"},
             Law{"shape", "batch, heads, features and keys are those of each other"},
             Law{"mask", "the mask has 5 axes and broadcasts to the scores"}},
    .infer = rule<flash_infer>(),
    .grad = derive::rules<vjp, jvp>(),
    .batch = batch::rule<batched>(),
    .kernel = kernel::run<run>(),
};

}  // namespace weft
