// Samples of embedding_bag.
#include <algorithm>

#include "tests/op_suite/samples.h"

using namespace weft::suite;

namespace {

Arrays reference(const Attrs& at, const Arrays& in) {
  const Array &indices = in[0], &weight = in[1];
  const auto features = static_cast<size_t>(weight.shape[1]);
  const bool by_offsets = indices.shape.size() == 1;
  const int64_t bags = by_offsets ? in[2].shape[0] : indices.shape[0];
  const auto& mode = at.get<std::string>("mode");
  const auto& padding = at.get<std::optional<int64_t>>("padding_idx");
  Array out = like(weight, {bags, weight.shape[1]});
  for (int64_t b = 0; b < bags; ++b) {
    const auto bag = static_cast<size_t>(b);
    int64_t begin = by_offsets ? in[2].values[bag].i : b * indices.shape[1];
    int64_t end = begin + (by_offsets ? 0 : indices.shape[1]);
    if (by_offsets) end = b + 1 < bags ? in[2].values[bag + 1].i : indices.shape[0];
    for (size_t f = 0; f < features; ++f) {
      long double total = 0, most = 0;
      int64_t counted = 0;
      for (int64_t i = begin; i < end; ++i) {
        const int64_t row = indices.values[static_cast<size_t>(i)].i;
        if (padding && *padding == row) continue;
        long double value = weight.values[static_cast<size_t>(row) * features + f].re;
        if (in.size() > 3) value *= in[3].values[static_cast<size_t>(i)].re;
        most = counted == 0 || value > most || value != value ? value : most;
        total += value;
        ++counted;
      }
      if (mode == "mean" && counted > 0) total /= static_cast<long double>(counted);
      out.values[bag * features + f].re = mode == "max" ? most : total;
    }
  }
  return {out};
}

}  // namespace

WEFT_OP_TEST(nn__embedding_bag) {
  t.skip("zero", "a mean and a weighted sum of an infinity is NaN in the gradient too");
  t.skip("symbolic", "the bag of an entry is found by counting a known number of them");
  t.sums_batches_elsewhere("a shared table's gradient adds the rows of the whole batch in one go");
  const Arg matrix = indices({2, 3}, {0, 3, 1, 3, 3, 2});
  t.sample({matrix, in({4, 5})});
  t.sample({matrix, in({4, 5})}, "mode=\"sum\"");
  t.sample({matrix, distinct({4, 5})}, "mode=\"max\"");
  t.sample({matrix, in({4, 5})}, "padding_idx=3");
  t.sample({matrix, distinct({4, 5})}, "mode=\"max\", padding_idx=3");
  t.sample({indices({4}, {0, 3, 1, 2}), in({4, 5}), indices({4}, {0, 1, 1, 4})});
  t.sample({indices({4}, {0, 3, 1, 2}), in({4, 5}), indices({2}, {0, 3})},
           "mode=\"sum\", padding_idx=3");
  t.sample({indices({4}, {0, 3, 1, 2}), in({4, 5}), indices({2}, {0, 3}), in({4})}, "mode=\"sum\"");
  t.sample({indices({4}, {0, 3, 1, 2}), distinct({4, 5}), indices({4}, {0, 1, 1, 4})},
           "mode=\"max\"");
  t.sample({indices({4}, {3, 0, 3, 2}), distinct({4, 5}), indices({3}, {0, 1, 3})},
           "mode=\"max\", padding_idx=3");
  t.sample({exactly({2, 0}, {}, DType::kI64), in({4, 5})}, "mode=\"max\"");
  t.large({typed(in({400, 3}, 0, 299), DType::kI64), in({300, 301})});
  t.reference(reference);
  t.error("weight", {matrix, in({4})}, "",
          "embedding_bag: weight has shape [4]; it must be [rows, features] "
          "[embedding_bag.weight]");
  t.error("mode", {matrix, in({4, 2})}, "mode=\"min\"",
          "embedding_bag: mode is \"min\"; it must be \"sum\", \"mean\" or \"max\" "
          "[embedding_bag.mode]");
  t.error("bags", {indices({2}, {0, 1}), in({4, 2})}, "",
          "embedding_bag: indices have shape [2] without offsets; they must be [bags, entries] "
          "[embedding_bag.bags]");
  t.error("weighted", {indices({2}, {0, 1}), in({4, 2}), indices({1}, {0}), in({2})},
          "mode=\"mean\"",
          "embedding_bag: per_sample_weights are given with mode \"mean\"; only a \"sum\" has "
          "weights [embedding_bag.weighted]");
}
