// Samples of check.values.
#include "weft/ops/random/random_reference.h"

using namespace weft::suite;

WEFT_OP_TEST(check__values) {
  for (const char* column : {"special", "zero"}) {
    t.skip(column, "probabilities are between 0 and 1");
  }
  t.sample({in({3}, 0.1, 0.9)}, "check=\"bernoulli.p\"");
  t.sample({in({2, 2}, 0.1, 0.9)}, "check=\"quantile.q\"");
  t.sample({in({2, 3}), in({3}, 10, 90)}, "check=\"percentile.q\"");
  t.sample({in({2}), exactly({3}, {0, 2, 1}, DType::kI64)},
           "check=\"bincount.range\", numbers=[3]");
  t.large({in({300, 301}, 0.1, 0.9)}, "check=\"bernoulli.p\"");
  t.reference([](const Attrs&, const Arrays& in) -> Arrays { return {in[0]}; });
  t.error("check", {in({3})}, "check=\"bernoulli.q\"",
          "check.values: there is no check 'bernoulli.q'; load the graph with the version of Weft "
          "that saved it [check.values.check]");
}
