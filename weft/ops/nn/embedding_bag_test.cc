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
        const auto named = [&](int64_t row) { return row < 0 ? row + weight.shape[0] : row; };
        const int64_t row = named(indices.values[static_cast<size_t>(i)].i);
        if (padding && named(*padding) == row) continue;
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

Arrays bags_reference(const Attrs& at, const Arrays& in) {
  const auto bags = static_cast<size_t>(in[0].shape.back());
  std::vector<int64_t> shape = in[0].shape;
  shape.back() = at.get<int64_t>("count");
  Array out = like(in[0], shape);
  for (size_t i = 0; i < out.values.size(); ++i) {
    const auto count = static_cast<size_t>(shape.back());
    const size_t row = i / count;
    int64_t begun = 0;
    for (size_t b = 0; b < bags; ++b)
      begun += in[0].values[row * bags + b].i <= static_cast<int64_t>(i % count);
    out.values[i].i = begun - 1;
  }
  return {out};
}

}  // namespace

WEFT_OP_TEST(nn__embedding_bag__bags) {
  t.varies(0, Vary::kScaled);  // other offsets might not ascend
  t.sample({indices({4}, {0, 1, 1, 4})}, "count=4");
  t.sample({indices({2, 3}, {0, 0, 5, 0, 2, 6})}, "count=6");
  t.sample({exactly({2, 0}, {}, DType::kI64)}, "count=0");
  t.large({indices({2}, {0, 7})}, "count=100000");
  t.reference(bags_reference);
  t.error("rank", {indices({}, {0})}, "count=1",
          "embedding_bag.bags: offsets have rank 0; the last axis has the bags "
          "[embedding_bag.bags.rank]");
  t.error("negative", {indices({1}, {0})}, "count=-1",
          "embedding_bag.bags: count is -1; it must be at least 0 [embedding_bag.bags.negative]");
  t.error("offsets", {indices({1}, {2})}, "count=3",
          "embedding_bag: the first offset is 2; the first bag must begin at 0 "
          "[embedding_bag.offsets]");
}

WEFT_OP_TEST(nn__embedding_bag) {
  t.skip("zero", "a mean and a weighted sum of an infinity is NaN in the gradient too");
  t.skip("symbolic", "the bag of an entry is found by counting a known number of them");
  t.sums_batches_elsewhere("a shared table's gradient adds the rows of the whole batch in one go");
  t.varies(2, Vary::kScaled);  // other offsets might not ascend
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
  t.sample({indices({2, 3}, {0, -1, 1, 3, -3, 2}), in({4, 5})}, "mode=\"sum\", padding_idx=-1");
  t.sample({indices({4}, {0, -1, 3, 2}), in({4, 5}), indices({2}, {0, 3})}, "padding_idx=3");
  t.sample({exactly({2, 0}, {}, DType::kI64), in({4, 5})}, "mode=\"max\"");
  t.large({typed(in({400, 3}, 0, 299), DType::kI64), in({300, 301})});
  t.reference(reference);
  t.error("weight", {matrix, in({4})}, "",
          "embedding_bag: weight has shape [4]; it must be [rows, features] "
          "[embedding_bag.weight]");
  t.error("padding_idx", {matrix, in({4, 2})}, "padding_idx=-5",
          "embedding_bag: padding_idx is -5, but weight has 4 rows; it must name one of them "
          "[embedding_bag.padding_idx]");
  t.error("mode", {matrix, in({4, 2})}, "mode=\"min\"",
          "embedding_bag: mode is \"min\"; it must be \"sum\", \"mean\" or \"max\" "
          "[embedding_bag.mode]");
  t.error("bags", {indices({2}, {0, 1}), in({4, 2})}, "",
          "embedding_bag: indices have shape [2] without offsets; they must be [bags, entries] "
          "[embedding_bag.bags]");
  const auto error_of_offsets = [&](const Arg& offsets, const std::string& message) {
    t.error("offsets", {indices({3}, {0, 1, 2}), in({4, 2}), offsets}, "",
            "embedding_bag: " + message + " [embedding_bag.offsets]");
  };
  error_of_offsets(indices({2}, {1, 2}), "the first offset is 1; the first bag must begin at 0");
  error_of_offsets(indices({3}, {0, 2, 1}),
                   "offset 1 of bag 2 is below 2, the one before; offsets must ascend");
  error_of_offsets(indices({2}, {0, 4}),
                   "offset 4 of bag 1 is beyond the 3 indices; it may be at most that");
  error_of_offsets(exactly({0}, {}, DType::kI64),
                   "there are no offsets, but 3 indices; the first bag must begin at 0");
  t.error("weighted", {indices({2}, {0, 1}), in({4, 2}), indices({1}, {0}), in({2})},
          "mode=\"mean\"",
          "embedding_bag: per_sample_weights are given with mode \"mean\"; only a \"sum\" has "
          "weights [embedding_bag.weighted]");
}
