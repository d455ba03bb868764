// bincount: how often each number from 0 occurs.
#include "weft/op/apply.h"
#include "weft/op/decide_shapes.h"
#include "weft/op/record.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/reduce/check_values.h"
#include "weft/ops/reduce/segment.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

struct BincountAttrs {
  int64_t minlength = 0;
  std::optional<int64_t> length;
  static constexpr auto fields =
      fields_of(field("minlength", &BincountAttrs::minlength, "the least length of the result"),
                field("length", &BincountAttrs::length,
                      "the length of the result; one more than the greatest number if left out"));
};

// What counts nothing, or is beyond a length that was given.
void require_countable(const InferCtx& cx, TensorSpan x, const Ints& length) {
  if (x[0].numel() == 0) return;
  const Tensor wide = cast(x[0], DType::kI64);
  const int64_t least = min(wide).item_int(), greatest = max(wide).item_int();
  cx.require_index(least >= 0, "range", "x has the number ", least,
                   "; what is counted is at least 0");
  if (length.empty()) return;
  cx.require_index(greatest < length[0], "range", "x has the number ", greatest, ", but length is ",
                   length[0], "; what is counted is below it");
}

// One more than the greatest number, which must be known to say so.
int64_t needed_length(const InferCtx& cx, const BincountAttrs& at, const Tensor& x) {
  cx.require(at.minlength >= 0, "negative", "minlength is ", at.minlength,
             "; it must be at least 0");
  const Tensor values = value_under(x);
  cx.require(values.defined(), "concrete",
             "x is only known when the graph runs, or differs between the examples of a vmap, but "
             "its greatest number decides the length; give length");
  if (values.numel() == 0) return at.minlength;
  const ScopeIs now(nullptr);
  return std::max(at.minlength, max(cast(values, DType::kI64)).item_int() + 1);
}

Tensors compose_bincount(const BincountAttrs& at, TensorSpan in) {
  const InferCtx cx{"bincount"};
  const Tensor& x = in[0];
  const bool is_integral = kind_of(x.dtype()) <= Kind::kInteger && x.dtype() != DType::kU64;
  cx.require_type(is_integral, "dtype", "x has dtype ", x.dtype(),
                  ", but must be an integer that int64 holds; cast it first");
  cx.require(!at.length || *at.length >= 0, "negative", "length is ", at.length.value_or(0),
             "; it must be at least 0");
  const Dim count = num_elements(x.shape());
  const Tensor known = checked(kBincountRange, x, {}, at.length ? Ints{*at.length} : Ints{});
  const int64_t length = at.length ? *at.length : needed_length(cx, at, x);
  const Tensor ids = reshape(cast(known, DType::kI64), Shape{count});
  if (in.size() < 2) {
    const Tensor ones = broadcast_to(Tensor::scalar(DType::kI64, 1), Shape{count});
    return {segment_sum(ones, ids, length)};
  }
  cx.require(decide_same(in[1].shape(), x.shape()) != Tri::kNo, "weights", "weights have shape ",
             in[1].shape(), " but x has shape ", x.shape(), "; they must be equal");
  return {segment_sum(reshape(in[1], Shape{count}), ids, length)};
}

}  // namespace

constinit const ValueCheck kBincountRange{"bincount", "range", require_countable};

constinit const CompositeDef kBincount{
    .name = "bincount",
    .doc =
        "How often each number from 0 to `length - 1` occurs in `x`, as int64; or the sum of the "
        "`weights` where it occurs, in their order and dtype. Without `length` the greatest number "
        "decides, and `x` must be known; a number that is negative or too great raises.",
    .inputs = {"x: integer", "weights?: numeric"},
    .outputs = {"out: numeric"},
    .attrs = attrs_type<BincountAttrs>(),
    .laws = {Law{"dtype", "x is an integer that int64 holds"},
             Law{"negative", "lengths are at least 0"},
             Law{"weights", "one weight for each number"},
             Law{"range", "numbers are at least 0, and below `length`"}},
    .compose = rule<compose_bincount>(),
    .known_as = {Alias{"numpy", "bincount"}, Alias{"torch", "bincount"},
                 Alias{"jax", "numpy.bincount"}, Alias{"tf", "math.bincount"}},
};

Tensor bincount(const Tensor& x, const Tensor& weights, int64_t minlength,
                std::optional<int64_t> length, Where where) {
  const BincountAttrs attrs{minlength, length};
  if (!weights.defined()) return compose(kBincount, inputs(x), attrs, where);
  return compose(kBincount, inputs(x, weights), attrs, where);
}

}  // namespace weft
