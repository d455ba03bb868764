// Samples of random.uniform.
#include "weft/ops/random/random_reference.h"

using namespace weft::suite;

namespace {

Arrays unit_reference(const Attrs& at, const Arrays& in) {
  Array out = shaped(at.get<DType>("dtype"), at.get<weft::Shape>("shape"));
  const auto word = [&](size_t k) { return static_cast<uint32_t>(in[k].values[0].i); };
  for (size_t i = 0; i < out.values.size(); ++i) {
    out.values[i].re = unit_draw(words_at(word(0), word(1), i), out.dtype);
  }
  return {out};
}

Arrays reference(const Attrs& at, const Arrays& in) {
  Array out = shaped(at.get<DType>("dtype"), at.get<weft::Shape>("shape"));
  const auto word = [&](size_t k) { return static_cast<uint32_t>(in[0].values[k].i); };
  for (size_t i = 0; i < out.values.size(); ++i) {
    const long double low = in.size() > 1 ? in[1].values[0].re : 0;
    const long double high = in.size() > 2 ? in[2].values[0].re : 1;
    out.values[i].re = low + unit_draw(words_at(word(0), word(1), i), out.dtype) * (high - low);
  }
  return {out};
}

}  // namespace

WEFT_OP_TEST(random__uniform) {
  t.skip("special", "there is no uniform distribution between infinities");
  t.skip("zero", "there is no uniform distribution between infinities");
  const Arg key = exactly({2}, {7, 4294967295});
  t.sample({key}, "shape=[3, 5]");
  t.sample({key}, "shape=[1000], dtype=float64");
  t.sample({key}, "shape=[40], dtype=float16");
  t.sample({key}, "shape=[40], dtype=bfloat16");
  t.sample({key, exactly({}, {-2}), exactly({}, {3})}, "shape=[3, 5]");
  t.sample({key, exactly({}, {-2})}, "shape=[], dtype=float64");
  t.sample({key}, "shape=[0, 2]");
  t.large({exactly({2}, {7, 9}), exactly({}, {-2}), exactly({}, {3})}, "shape=[300, 301]");
  t.reference(reference);
  t.error("key", {exactly({3}, {1, 2, 3})}, "shape=[2]",
          "uniform: the key has shape [3], but one key has shape [2]; index a batch of keys, or "
          "vmap over it [uniform.key]");
  t.error("negative", {key}, "shape=[-1]",
          "uniform: shape [-1] has a negative size; sizes are at least 0 [uniform.negative]");
  t.error("dtype", {key}, "shape=[2], dtype=int32",
          "uniform: dtype is int32; it must be floating [uniform.dtype]");
  t.error("dtype", {typed(key, DType::kI64)}, "shape=[2]",
          "uniform: key has dtype int64, but must be uint32; make one with random.Key(seed) "
          "[uniform.dtype]");
  t.error("interval", {key, exactly({}, {2}), exactly({}, {1})}, "shape=[3]",
          "uniform: high - low goes from -1.0 to -1.0; low is at most high, and the distance is "
          "finite [uniform.interval]");
  t.error("interval", {key, exactly({}, {-3e38}), exactly({}, {3e38})}, "shape=[3]",
          "uniform: high - low goes from inf to inf; low is at most high, and the distance is "
          "finite [uniform.interval]");
  t.error("bounds", {key, in({3}), in({})}, "shape=[2, 1]",
          "uniform: low has shape [3] and high has shape [], which do not broadcast to [2, 1] "
          "[uniform.bounds]");
}

WEFT_OP_TEST(random__unit_draws) {
  t.sample({exactly({}, {1}), exactly({}, {2})}, "shape=[3, 5]");
  t.sample({exactly({}, {1}), exactly({}, {2})}, "shape=[1000], dtype=float64");
  t.sample({exactly({}, {0}), exactly({}, {0})}, "shape=[77], dtype=float16");
  t.sample({exactly({}, {0}), exactly({}, {0})}, "shape=[77], dtype=bfloat16");
  t.large({exactly({}, {1}), exactly({}, {2})}, "shape=[300, 301]");
  t.reference(unit_reference);
  t.error("negative", {exactly({}, {1}), exactly({}, {2})}, "shape=[-1]",
          "unit_draws: shape [-1] has a negative size; sizes are at least 0 "
          "[unit_draws.negative]");
}
