// Samples of the draws that are functions of one uniform draw: exponential, gumbel, laplace,
// logistic, cauchy, rademacher.
#include "weft/base/text.h"
#include "weft/ops/random/random_reference.h"

using namespace weft::suite;

namespace {

// How far from the nearer end of (0, 1), negative from the end at 0.
long double tail_draw(const Words& w) {
  const uint64_t bits = wide(w);
  const long double tail =
      std::ldexp(static_cast<long double>(bits & ~(uint64_t{1} << 63)) + 0.5L, -64);
  return bits >> 63 ? -tail : tail;
}

long double log_uniform(long double t) { return t < 0 ? std::log(-t) : std::log1p(-t); }
long double exponential_of(long double t) { return -log_uniform(t); }
long double gumbel_of(long double t) { return -std::log(-log_uniform(t)); }
long double laplace_of(long double t) { return std::copysign(-std::log(2 * std::abs(t)), t); }
long double logistic_of(long double t) {
  return std::copysign(std::log1p(-std::abs(t)) - std::log(std::abs(t)), t);
}
long double cauchy_of(long double t) { return 1 / std::tan(t * 3.141592653589793238462643L); }

using Transform = long double (*)(long double);

// loc + scale * f(draw); the parameters are scalars, and `loc` may not exist.
template <Transform f, bool has_loc>
Arrays reference(const Attrs& at, const Arrays& in) {
  Array out = shaped(at.get<DType>("dtype"), at.get<weft::Shape>("shape"));
  const auto word = [&](size_t k) { return static_cast<uint32_t>(in[0].values[k].i); };
  const size_t scale_at = has_loc ? 2 : 1;
  const long double loc = has_loc && in.size() > 1 ? in[1].values[0].re : 0;
  const long double scale = in.size() > scale_at ? in[scale_at].values[0].re : 1;
  for (size_t i = 0; i < out.values.size(); ++i) {
    out.values[i].re = loc + scale * f(tail_draw(words_at(word(0), word(1), i)));
  }
  return {out};
}

void errors(OpTest& t, const std::string& op, const Arg& key) {
  t.error("key", {exactly({3}, {1, 2, 3})}, "shape=[2]",
          text(op,
               ": the key has shape [3], but one key has shape [2]; index a batch of keys, or "
               "vmap over it [",
               op, ".key]"));
  t.error("negative", {key}, "shape=[-1]",
          text(op, ": shape [-1] has a negative size; sizes are at least 0 [", op, ".negative]"));
  t.error("dtype", {key}, "shape=[2], dtype=int32",
          text(op, ": dtype is int32; it must be floating [", op, ".dtype]"));
  t.error(
      "parameters", {key, in({3})}, "shape=[2, 1]",
      text(op, ": the parameters do not broadcast to [2, 1], but to [2, 3] [", op, ".parameters]"));
}

void draw_samples(OpTest& t, const std::string& op, bool has_loc) {
  const Arg key = exactly({2}, {7, 4294967295});
  t.skip("special", "there is no distribution of infinite width");
  t.sample({key}, "shape=[3, 5]");
  t.sample({key}, "shape=[1000], dtype=float64");
  t.sample({key}, "shape=[40], dtype=float16");
  t.sample({key, exactly({}, {2})}, "shape=[3, 5]");
  if (has_loc) t.sample({key, exactly({}, {-2}), exactly({}, {3})}, "shape=[7], dtype=float64");
  t.sample({key}, "shape=[0, 2]");
  t.large({exactly({2}, {7, 9})}, "shape=[300, 301]");
  errors(t, op, key);
}

}  // namespace

WEFT_OP_TEST(random__tail_draws) {
  t.sample({exactly({}, {1}), exactly({}, {2})}, "shape=[3000]");
  t.sample({exactly({}, {1}), exactly({}, {2})}, "shape=[1000], dtype=float64");
  t.sample({exactly({}, {0}), exactly({}, {0})}, "shape=[77], dtype=bfloat16");
  t.large({exactly({}, {1}), exactly({}, {2})}, "shape=[300, 301]");
  t.reference([](const Attrs& at, const Arrays& in) -> Arrays {
    Array out = shaped(at.get<DType>("dtype"), at.get<weft::Shape>("shape"));
    const auto word = [&](size_t k) { return static_cast<uint32_t>(in[k].values[0].i); };
    for (size_t i = 0; i < out.values.size(); ++i) {
      out.values[i].re = tail_draw(words_at(word(0), word(1), i));
    }
    return {out};
  });
  t.error("negative", {exactly({}, {1}), exactly({}, {2})}, "shape=[-1]",
          "tail_draws: shape [-1] has a negative size; sizes are at least 0 [tail_draws.negative]");
}

WEFT_OP_TEST(random__exponential) {
  draw_samples(t, "exponential", false);
  t.reference(reference<exponential_of, false>);
}
WEFT_OP_TEST(random__gumbel) {
  draw_samples(t, "gumbel", true);
  t.reference(reference<gumbel_of, true>);
}
WEFT_OP_TEST(random__laplace) {
  draw_samples(t, "laplace", true);
  t.reference(reference<laplace_of, true>);
}
WEFT_OP_TEST(random__logistic) {
  draw_samples(t, "logistic", true);
  t.reference(reference<logistic_of, true>);
}
WEFT_OP_TEST(random__cauchy) {
  draw_samples(t, "cauchy", true);
  t.reference(reference<cauchy_of, true>);
}

WEFT_OP_TEST(random__rademacher) {
  const Arg key = exactly({2}, {7, 9});
  t.sample({key}, "shape=[3, 5]");
  t.sample({key}, "shape=[40], dtype=int8");
  t.large({key}, "shape=[300, 301]");
  t.reference([](const Attrs& at, const Arrays& in) -> Arrays {
    Array out = shaped(at.get<DType>("dtype"), at.get<weft::Shape>("shape"));
    const auto word = [&](size_t k) { return static_cast<uint32_t>(in[0].values[k].i); };
    for (size_t i = 0; i < out.values.size(); ++i) {
      const bool up = unit_draw(words_at(word(0), word(1), i), DType::kF32) < 0.5L;
      out.values[i].re = weft::is_integer(out.dtype) ? 0 : up ? 1 : -1;
      out.values[i].i = weft::is_integer(out.dtype) ? (up ? 1 : -1) : 0;
    }
    return {out};
  });
  t.error("key", {exactly({3}, {1, 2, 3})}, "shape=[2]",
          "rademacher: the key has shape [3], but one key has shape [2]; index a batch of keys, or "
          "vmap over it [rademacher.key]");
  t.error("negative", {key}, "shape=[-1]",
          "rademacher: shape [-1] has a negative size; sizes are at least 0 [rademacher.negative]");
  t.error("dtype", {key}, "shape=[2], dtype=uint8",
          "rademacher: dtype is uint8, which does not hold -1 [rademacher.dtype]");
}
