// Samples of embedding.
#include "tests/op_suite/samples.h"

using namespace weft::suite;

namespace {

Arrays reference(const Attrs&, const Arrays& in) {
  const Array &indices = in[0], &weight = in[1];
  std::vector<int64_t> shape = indices.shape;
  shape.push_back(weight.shape[1]);
  Array out = like(weight, shape);
  const auto features = static_cast<size_t>(weight.shape[1]);
  for (size_t i = 0; i < out.values.size(); ++i) {
    int64_t row = indices.values[i / features].i;
    if (row < 0) row += weight.shape[0];
    out.values[i] = weight.values[static_cast<size_t>(row) * features + i % features];
  }
  return {out};
}

}  // namespace

WEFT_OP_TEST(nn__embedding) {
  t.sample({indices({2, 3}, {0, 3, 1, 3, -1, 2}), in({4, 5})});
  t.sample({indices({}, {2}), in({4, 5})});
  t.kink({indices({4}, {0, 3, 1, 3}), in({4, 5})}, "padding_idx=3",
         "a row of padding is given gradient 0, though the value depends on it");
  t.kink({indices({4}, {0, 3, 1, 3}), in({4, 5})}, "padding_idx=-4",
         "a row of padding is given gradient 0, though the value depends on it");
  t.large({typed(in({400}, 0, 299), DType::kI64), in({300, 301})});
  t.reference(reference);
  t.error("range", {indices({2}, {1, 4}), in({4, 5})}, "",
          "embedding: index 4 at position [1] is out of range for axis 0 with size 4 "
          "[embedding.range]");
  t.error("weight", {indices({1}, {0}), in({4})}, "",
          "embedding: weight has shape [4]; it must be [rows, features] [embedding.weight]");
  t.error("padding_idx", {indices({1}, {0}), in({4, 2})}, "padding_idx=4",
          "embedding: padding_idx is 4, but weight has 4 rows; it must name one of them "
          "[embedding.padding_idx]");
}
