// Samples of random.normal.
#include "weft/ops/random/random_reference.h"

using namespace weft::suite;

namespace {

Arrays draws_reference(const Attrs& at, const Arrays& in) {
  Array out = shaped(at.get<DType>("dtype"), at.get<weft::Shape>("shape"));
  const auto word = [&](size_t k) { return static_cast<uint32_t>(in[k].values[0].i); };
  for (size_t i = 0; i < out.values.size(); ++i) {
    out.values[i].re = normal_draw(words_at(word(0), word(1), i));
  }
  return {out};
}

Arrays reference(const Attrs& at, const Arrays& in) {
  Array out = shaped(at.get<DType>("dtype"), at.get<weft::Shape>("shape"));
  const auto word = [&](size_t k) { return static_cast<uint32_t>(in[0].values[k].i); };
  const long double mean = in.size() > 1 ? in[1].values[0].re : 0;
  const long double std = in.size() > 2 ? in[2].values[0].re : 1;
  for (size_t i = 0; i < out.values.size(); ++i) {
    out.values[i].re = mean + std * normal_draw(words_at(word(0), word(1), i));
  }
  return {out};
}

}  // namespace

WEFT_OP_TEST(random__normal) {
  const Arg key = exactly({2}, {7, 4294967295});
  t.sample({key}, "shape=[3, 5]");
  t.sample({key}, "shape=[1000], dtype=float64");
  t.sample({key, exactly({}, {-2}), exactly({}, {3})}, "shape=[3, 5]");
  t.sample({key, exactly({}, {-2})}, "shape=[], dtype=float64");
  t.sample({key}, "shape=[0, 2], dtype=float16");
  t.large({exactly({2}, {7, 9}), exactly({}, {-2}), exactly({}, {3})}, "shape=[300, 301]");
  t.reference(reference);
  t.error("key", {exactly({1, 2}, {1, 2})}, "shape=[2]",
          "normal: the key has shape [1, 2], but one key has shape [2]; index a batch of keys, or "
          "vmap over it [normal.key]");
  t.error("negative", {key}, "shape=[-1]",
          "normal: shape [-1] has a negative size; sizes are at least 0 [normal.negative]");
  t.error("dtype", {key}, "shape=[2], dtype=int32",
          "normal: dtype is int32; it must be floating [normal.dtype]");
  t.error("parameters", {key, in({3})}, "shape=[2, 1]",
          "normal: mean and std do not broadcast to [2, 1], but to [2, 3] [normal.parameters]");
}

WEFT_OP_TEST(random__normal_draws) {
  t.sample({exactly({}, {1}), exactly({}, {2})}, "shape=[3000]");
  t.sample({exactly({}, {1}), exactly({}, {2})}, "shape=[1000], dtype=float64");
  t.sample({exactly({}, {0}), exactly({}, {0})}, "shape=[77], dtype=float16");
  t.sample({exactly({}, {0}), exactly({}, {0})}, "shape=[77], dtype=bfloat16");
  t.large({exactly({}, {1}), exactly({}, {2})}, "shape=[300, 301]");
  t.reference(draws_reference);
  t.error("negative", {exactly({}, {1}), exactly({}, {2})}, "shape=[-1]",
          "normal_draws: shape [-1] has a negative size; sizes are at least 0 "
          "[normal_draws.negative]");
}
