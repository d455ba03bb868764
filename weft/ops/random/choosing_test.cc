// Samples of categorical, choice and shuffle.
#include "weft/base/text.h"
#include "weft/ops/random/random_reference.h"

using namespace weft::suite;

namespace {

constexpr const char* kDistribution = "python/tests/test_distributions.py tests the distribution";
const Arg kKey = exactly({2}, {7, 9});
constexpr const char* kOneKey =
    ": the key has shape [3], but one key has shape [2]; index a batch of keys, or vmap over it [";

}  // namespace

WEFT_OP_TEST(random__categorical) {
  t.skip("value", kDistribution);
  t.skip("special", kDistribution);
  t.sample({kKey, in({5})});
  t.sample({kKey, in({3, 4})}, "axis=0");
  t.sample({kKey, in({3, 4})}, "shape=[2, 3]");
  t.large({kKey, in({300, 301})});
  t.error("key", {exactly({3}, {1, 2, 3}), in({5})}, "",
          text("categorical", kOneKey, "categorical.key]"));
  t.error("dtype", {kKey, typed(in({5}), DType::kC64)}, "",
          "categorical: logits have dtype complex64, but must be floating; cast them first "
          "[categorical.dtype]");
  t.error("empty", {kKey, in({2, 0})}, "",
          "categorical: axis 1 of shape [2, 0] has no elements, and none of nothing can be chosen; "
          "reduce axes of size 1 or more [categorical.empty]");
  t.error("logits", {kKey, typed(exactly({2, 2}, {0, 1, -INFINITY, -INFINITY}), DType::kF32)}, "",
          "categorical: the greatest logit of a row is -inf; each row has one above -inf, and none "
          "is NaN [categorical.logits]");
  t.error("logits", {kKey, typed(exactly({2}, {0, NAN}), DType::kF32)}, "",
          "categorical: the greatest logit of a row is nan; each row has one above -inf, and none "
          "is NaN [categorical.logits]");
  t.error("broadcast", {kKey, in({3, 4})}, "shape=[2]",
          "categorical: shapes [2] and [3] do not broadcast: axis -1 has size 2 and 3; sizes must "
          "be equal or 1 [categorical.broadcast]");
  t.error("shape", {kKey, in({3, 4})}, "shape=[1]",
          "categorical: logits without axis -1 have shape [3], which does not broadcast to [1] "
          "[categorical.shape]");
  t.error("negative", {kKey, in({4})}, "shape=[-1]",
          "categorical: shape [-1] has a negative size; sizes are at least 0 "
          "[categorical.negative]");
}

WEFT_OP_TEST(random__choice) {
  t.skip("symbolic", "how many there are to draw from must be known");
  t.skip("value", kDistribution);
  t.skip("zero", "weights are finite, and not all 0");
  t.skip("special", kDistribution);
  t.sample({kKey, in({5, 2})}, "shape=[3]");
  t.sample({kKey, in({2, 5})}, "shape=[2, 2], replace=false, axis=1");
  t.sample({kKey, in({4}), typed(exactly({4}, {1, 2, 3, 4}), DType::kF32)}, "shape=[6]");
  t.sample({kKey, in({4}), typed(exactly({4}, {1, 2, 3, 4}), DType::kF32)},
           "shape=[2], replace=false");
  t.large({kKey, in({1000})}, "shape=[300, 301]");
  t.error("key", {exactly({3}, {1, 2, 3}), in({5})}, "", text("choice", kOneKey, "choice.key]"));
  t.error("dtype", {kKey, typed(in({}), DType::kF32)}, "",
          "choice: x has dtype float32 and rank 0; it must be how many numbers to draw from "
          "[choice.dtype]");
  t.error("empty", {kKey, in({0})}, "shape=[2]",
          "choice: there is nothing to draw from [choice.empty]");
  t.error("enough", {kKey, in({2})}, "shape=[3], replace=false",
          "choice: shape [3] has 3 elements, but there are 2; draw with replacement or fewer "
          "[choice.enough]");
  t.error("p", {kKey, in({2}), in({3}, 0, 1)}, "shape=[3]",
          "choice: p has shape [3], but there are 2 to draw from; it must have a number for each "
          "[choice.p]");
  const auto p = [](const Arg& values) { return typed(values, DType::kF32); };
  t.error("weights", {kKey, in({3}), p(exactly({3}, {-1, 1, 1}))}, "shape=[1]",
          "choice: p goes from -1.0 to 1.0; it is finite and at least 0 [choice.weights]");
  t.error("weights", {kKey, in({3}), p(exactly({3}, {NAN, 0, 0}))}, "shape=[1]",
          "choice: p goes from nan to nan; it is finite and at least 0 [choice.weights]");
  t.error("enough", {kKey, in({3}), p(exactly({3}, {0, 0, 0}))}, "shape=[1]",
          "choice: 0 of p are above 0, but shape [1] needs 1; what has no weight is never drawn "
          "[choice.enough]");
  t.error("enough", {kKey, in({3}), p(exactly({3}, {0, 2, 1}))}, "shape=[3], replace=false",
          "choice: 2 of p are above 0, but shape [3] needs 3; what has no weight is never drawn "
          "[choice.enough]");
  t.error("negative", {kKey, in({2})}, "shape=[-1]",
          "choice: shape [-1] has a negative size; sizes are at least 0 [choice.negative]");
}

WEFT_OP_TEST(random__shuffle) {
  t.skip("value", kDistribution);
  t.skip("special", kDistribution);
  t.sample({kKey, in({5})});
  t.sample({kKey, in({3, 4})}, "axis=1");
  t.large({kKey, in({300, 301})});
  t.error("key", {exactly({3}, {1, 2, 3}), in({5})}, "", text("shuffle", kOneKey, "shuffle.key]"));
  t.error("axis", {kKey, in({5})}, "axis=1",
          "shuffle: axis 1 is out of range for shape [5]; axes go from -1 to 0 [shuffle.axis]");
}
