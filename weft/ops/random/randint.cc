// random.randint: integers from a range.
#include "weft/op/apply.h"
#include "weft/ops/random/philox.h"
#include "weft/ops/random/random.h"

namespace weft {
namespace random {
namespace {

// The upper half of the 128-bit product of two u64, from products of their halves.
Expr mul_high_u64(Expr a, Expr b) {
  const auto u64 = [](uint64_t x) { return Expr::constant_bits(DType::kU64, x); };
  const Expr low_mask = u64(0xffffffffu), half = u64(32);
  const Expr a0 = a & low_mask, a1 = shift_right(a, half);
  const Expr b0 = b & low_mask, b1 = shift_right(b, half);
  const Expr middle = a1 * b0 + shift_right(a0 * b0, half);  // below 2^64
  const Expr carry = (middle & low_mask) + a0 * b1;
  return a1 * b1 + shift_right(middle, half) + shift_right(carry, half);
}

// low + floor(bits * span / 2^64): inputs are the key's words, low and span (0 stands for 2^64).
Expr int_meaning(const Expr* in, DType dtype) {
  const Block<Expr> block = philox_here(in[0], in[1]);
  const auto wide = [](Expr word) { return cast(word, DType::kU64); };
  const Expr bits =
      shift_left(wide(block.words[0]), Expr::constant_bits(DType::kU64, 32)) | wide(block.words[1]);
  const Expr zero = Expr::constant_bits(DType::kU64, 0);
  const Expr offset = where(in[3] == zero, bits, mul_high_u64(bits, in[3]));
  return cast(in[2] + cast(offset, DType::kI64), dtype);
}

struct RandintAttrs {
  int64_t low = 0;
  int64_t high = 0;
  Shape shape;
  DType dtype = DType::kI64;
  static constexpr auto fields =
      fields_of(field("low", &RandintAttrs::low, "the least value", kRequired),
                field("high", &RandintAttrs::high, "one above the greatest value", kRequired),
                field("shape", &RandintAttrs::shape, "the shape", kRequired),
                field("dtype", &RandintAttrs::dtype, "the dtype of the elements"));
};

// Whether the integer dtype holds `value`.
bool holds(DType dtype, int64_t value) {
  const int bits = static_cast<int>(8 * size_of(dtype));
  if (is_unsigned_integer(dtype)) {
    return value >= 0 && (bits == 64 || value >> bits == 0);
  }
  return bits == 64 || (value >= -(int64_t{1} << (bits - 1)) && value < int64_t{1} << (bits - 1));
}

Tensors compose_randint(const RandintAttrs& at, TensorSpan in) {
  const InferCtx cx{"randint"};
  const FillAttrs fill{at.shape, at.dtype};
  fill_infer(fill, cx, {});
  cx.require_type(is_integer(at.dtype), "dtype", "dtype is ", at.dtype, "; it must be an integer");
  cx.require(at.low < at.high, "range", "low is ", at.low, " and high is ", at.high,
             "; low must be below high");
  cx.require(holds(at.dtype, at.low) && holds(at.dtype, at.high - 1), "fit", at.dtype,
             " does not hold all of ", at.low, " to ", at.high - 1, "; choose a wider dtype");
  const KeyWords words = words_of_key(cx.op, in[0]);
  const uint64_t span = static_cast<uint64_t>(at.high) - static_cast<uint64_t>(at.low);
  const Tensor low = Tensor::from_bytes(DType::kI64, {}, std::as_bytes(std::span(&at.low, 1)));
  const Tensor width = Tensor::from_bytes(DType::kU64, {}, std::as_bytes(std::span(&span, 1)));
  return {apply(kIntDraws, inputs(words.first, words.second, low, width), fill, Where::here())};
}

}  // namespace

Tensor randint(const Tensor& key, int64_t low, int64_t high, const Shape& shape, DType dtype,
               Where where) {
  return compose(kRandint, inputs(key), RandintAttrs{low, high, shape, dtype}, where);
}

}  // namespace random

constinit const OpDef kIntDraws{
    .name = "int_draws",
    .module = "random",
    .doc =
        "`low + floor(bits * span / 2**64)` of 64 random bits; a span of 0 stands for 2**64. What "
        "`randint` is made of.",
    .inputs = {"key0: key", "key1: key", "low: int64", "span: uint64"},
    .outputs = {"out: integer"},
    .attrs = attrs_type<FillAttrs>(),
    .laws = {Law{"negative", "sizes are at least 0"}},
    .infer = rule<fill_infer>(),
    .grad = derive::not_differentiable("integers have no gradient"),
    .batch = batch::rule<each_filled<kIntDraws>>(),
    .kernel = kernel::fill(4, random::int_meaning),
};

constinit const CompositeDef kRandint{
    .name = "randint",
    .module = "random",
    .doc =
        "Integers from `low` up to but not including `high`. A draw depends on the key and its "
        "position only; the probability of a value differs from 1/n by less than 2**-64.",
    .inputs = {"key: key"},
    .outputs = {"out: integer"},
    .attrs = attrs_type<random::RandintAttrs>(),
    .laws = {Law{"key", "a key has shape [2]"}, Law{"negative", "sizes are at least 0"},
             Law{"dtype", "the dtype is an integer"}, Law{"range", "low is below high"},
             Law{"fit", "the dtype holds the range"}},
    .compose = rule<random::compose_randint>(),
    .known_as = {Alias{"numpy", "random.randint"}, Alias{"torch", "randint"},
                 Alias{"jax", "random.randint"}, Alias{"tf", "random.stateless_uniform"}},
};

}  // namespace weft
