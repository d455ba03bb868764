// Samples of poisson and binomial.
#include "weft/base/text.h"
#include "weft/ops/random/random_reference.h"

using namespace weft::suite;

namespace {

constexpr const char* kDistribution = "python/tests/test_distributions.py tests the distribution";

void count_errors(OpTest& t, const std::string& op, std::vector<Arg> parameters) {
  const auto with = [&](Arg key) {
    std::vector<Arg> all{key};
    all.insert(all.end(), parameters.begin(), parameters.end());
    return all;
  };
  const Arg key = exactly({2}, {7, 9});
  t.error("key", with(exactly({3}, {1, 2, 3})), "",
          text(op,
               ": the key has shape [3], but one key has shape [2]; index a batch of keys, or "
               "vmap over it [",
               op, ".key]"));
  t.error("negative", with(key), "shape=[-1]",
          text(op, ": shape [-1] has a negative size; sizes are at least 0 [", op, ".negative]"));
  t.error("dtype", with(key), "dtype=complex64",
          text(op, ": dtype is complex64; it must be integer or floating [", op, ".dtype]"));
  t.error("shape", with(key), "shape=[2, 1]",
          text(op, ": the parameters have shape [2], which does not broadcast to [2, 1] [", op,
               ".shape]"));
}

void draws_errors(OpTest& t, const std::string& op, std::vector<Arg> parameters) {
  const auto with = [&](Arg key) {
    std::vector<Arg> all{key};
    all.insert(all.end(), parameters.begin(), parameters.end());
    return all;
  };
  t.error(
      "key", with(exactly({3}, {7, 9, 1})), "",
      text(op, ": the key has shape [3]; the last axis of a key has its 2 words [", op, ".key]"));
  t.error("lead", with(exactly({2, 2}, {7, 9, 1, 2})), "",
          text(op,
               ": the keys have shape [2, 2] but the parameters have shape [3]; the parameters "
               "begin with the axes of the keys [",
               op, ".lead]"));
}

}  // namespace

WEFT_OP_TEST(random__poisson) {
  t.skip("value", kDistribution);
  t.skip("special", "rates are finite");
  t.skip("zero", "rates are finite");
  const Arg key = exactly({2}, {7, 9});
  t.sample({key, in({5}, 0, 40)});
  t.sample({key, in({}, 0, 40)}, "shape=[3, 4], dtype=float32");
  t.large({key, in({300, 31}, 0, 40)});
  count_errors(t, "poisson", {in({2}, 1, 2)});
}

WEFT_OP_TEST(random__poisson_draws) {
  t.skip("value", kDistribution);
  t.skip("special", "rates are finite");
  t.skip("zero", "rates are finite");
  t.sample({exactly({2}, {7, 9}), in({50}, 0, 40)});
  t.sample({exactly({2}, {7, 9}), exactly({3}, {0, 1e6, 1e15})});
  t.large({exactly({2}, {7, 9}), in({300, 31}, 0, 40)});
  draws_errors(t, "poisson_draws", {in({3}, 1, 2)});
  t.error("rate", {exactly({2}, {7, 9}), exactly({2}, {1, -1})}, "",
          "poisson_draws: a rate is -1.0; rates go from 0 to 1e15 [poisson_draws.rate]");
}

WEFT_OP_TEST(random__binomial) {
  t.skip("value", kDistribution);
  t.skip("special", "trials are finite");
  t.skip("zero", "trials are finite");
  const Arg key = exactly({2}, {7, 9});
  const Arg trials = typed(exactly({5}, {0, 3, 40, 1000, 17}), DType::kI64);
  t.sample({key, trials, in({5}, 0, 1)});
  t.sample({key, typed(exactly({}, {20}), DType::kI64), in({}, 0, 1)},
           "shape=[3, 4], dtype=float32");
  t.large({key, typed(exactly({}, {100}), DType::kI64), in({300, 31}, 0, 1)});
  count_errors(t, "binomial", {typed(exactly({}, {20}), DType::kI64), in({2}, 0, 1)});
  t.error("dtype", {key, typed(in({2}), DType::kC64), in({2}, 0, 1)}, "",
          "binomial: n has dtype complex64, but must be real; cast it first [binomial.dtype]");
}

WEFT_OP_TEST(random__binomial_draws) {
  t.varies(1, Vary::kPlaces);
  t.skip("value", kDistribution);
  t.skip("special", "trials are finite");
  t.skip("zero", "trials are finite");
  t.sample({exactly({2}, {7, 9}), exactly({5}, {0, 3, 40, 1000, 17}), in({5}, 0, 1)});
  t.large({exactly({2}, {7, 9}), exactly({3}, {100, 7, 1000}), in({3}, 0, 1)});
  draws_errors(t, "binomial_draws", {exactly({3}, {1, 2, 3}), in({3}, 0, 1)});
  t.error("shape", {exactly({2}, {7, 9}), exactly({2}, {1, 2}), in({3}, 0, 1)}, "",
          "binomial_draws: n has shape [2] but p has shape [3]; they must be equal "
          "[binomial_draws.shape]");
  t.error(
      "range", {exactly({2}, {7, 9}), exactly({1}, {2}), exactly({1}, {1.5})}, "",
      "binomial_draws: there are 2.0 trials with probability 1.5; trials are whole numbers from "
      "0 to 1e15, probabilities go from 0 to 1 [binomial_draws.range]");
}
