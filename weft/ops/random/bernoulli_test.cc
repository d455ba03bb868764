// Samples of random.bernoulli.
#include "weft/ops/random/random_reference.h"

using namespace weft::suite;

namespace {

Arrays reference(const Attrs& at, const Arrays& in) {
  const Array& p = in[1];
  const auto& given = at.get<std::optional<weft::Ints>>("shape");
  Array out{DType::kBool, p.shape, {}};
  if (given) out.shape.assign(given->begin(), given->end());
  const DType dtype = p.dtype == DType::kF64 ? DType::kF64 : DType::kF32;
  for (int64_t i = 0; i < count(out.shape); ++i) {
    const Words w = words_at(static_cast<uint32_t>(in[0].values[0].i),
                             static_cast<uint32_t>(in[0].values[1].i), static_cast<size_t>(i));
    const ScalarValue& chance = p.values[static_cast<size_t>(i) % p.values.size()];
    out.values.push_back({0, 0, unit_draw(w, dtype) < chance.re});
  }
  return {out};
}

}  // namespace

WEFT_OP_TEST(random__bernoulli) {
  t.skip("special", "probabilities are between 0 and 1");
  const Arg key = exactly({2}, {7, 9});
  t.sample({key, exactly({}, {0.25})}, "shape=[50]");
  t.sample({key, exactly({4}, {0, 1, 0.5, 0.75})});
  t.sample({key, exactly({4}, {0, 1, 0.5, 0.75})}, "shape=[20, 4]");
  t.sample({key, exactly({}, {0.5})}, "shape=[0]");
  t.large({exactly({2}, {7, 9}), exactly({}, {0.25})}, "shape=[300, 301]");
  t.reference(reference);
  t.error("key", {exactly({3}, {1, 2, 3}), in({})}, "",
          "bernoulli: the key has shape [3], but one key has shape [2]; index a batch of keys, or "
          "vmap over it [bernoulli.key]");
  t.error("negative", {key, in({})}, "shape=[-1]",
          "bernoulli: shape [-1] has a negative size; sizes are at least 0 [bernoulli.negative]");
  t.error("shape", {key, in({3, 2})}, "shape=[2]",
          "bernoulli: p has shape [3, 2], which does not broadcast to [2] [bernoulli.shape]");
  t.error("p", {key, exactly({2}, {0.5, 1.5})}, "",
          "bernoulli: p goes from 0.5 to 1.5; probabilities are between 0 and 1 [bernoulli.p]");
  t.error("p", {key, typed(exactly({2}, {0.5, NAN}), DType::kF32)}, "",
          "bernoulli: p goes from nan to nan; probabilities are between 0 and 1 [bernoulli.p]");
  t.error("dtype", {key, typed(in({}), DType::kC64)}, "",
          "bernoulli: p has dtype complex64, but must be floating; cast it first "
          "[bernoulli.dtype]");
}
