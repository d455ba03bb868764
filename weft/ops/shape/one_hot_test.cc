// Samples of one_hot.
#include "weft/ops/shape/moving_reference.h"

using namespace weft::suite;

static Arrays reference(const Attrs& at, const Arrays& in) {
  const int64_t classes = at.get<weft::Shape>("num_classes")[0].value();
  Array out = like(in[0], in[0].shape);
  out.dtype = at.get<DType>("dtype");
  out.shape.push_back(classes);
  out.values.assign(static_cast<size_t>(count(out.shape)), {});
  for (size_t i = 0; i < in[0].values.size(); ++i) {
    out.values[i * static_cast<size_t>(classes) + static_cast<size_t>(in[0].values[i].i)] =
        kind_of(out.dtype) <= Kind::kInteger ? ScalarValue{0, 0, 1} : ScalarValue{1, 0, 0};
  }
  return {out};
}

WEFT_OP_TEST(one_hot) {
  using weft::DType;
  t.sample({exactly({2, 2}, {0, 1, 3, 2})}, "num_classes=4");
  t.sample({exactly({3}, {0, 1, 3})}, "num_classes=5, dtype=bool");
  t.sample({exactly({}, {1})}, "num_classes=2, dtype=complex64");
  t.sample({exactly({2}, {1, 0})}, "num_classes=2, dtype=int8");
  t.sample({exactly({0}, {})}, "num_classes=3");
  t.large({in({3000}, 0, 29)}, "num_classes=30");
  t.reference(reference);
  t.error("negative", {exactly({1}, {0})}, "num_classes=-1",
          "one_hot: num_classes is -1; it must be at least 0 [one_hot.negative]");
  t.error("size", {exactly({1}, {0})}, "num_classes=[]",
          "one_hot: num_classes has 0 sizes: []; it must be one [one_hot.size]");
  t.error("range", {exactly({2}, {0, 3}, DType::kI64)}, "num_classes=3",
          "one_hot: class 3 at position 1 is out of range; classes go from 0 to 2 "
          "[one_hot.range]");
  t.error("range", {exactly({2}, {-1, 2}, DType::kI64)}, "num_classes=3",
          "one_hot: class -1 at position 0 is out of range; classes go from 0 to 2 "
          "[one_hot.range]");
  t.error("dtype", {typed(in({1}), DType::kF32)}, "num_classes=3",
          "one_hot: x has dtype float32, but must be integer; cast it first [one_hot.dtype]");
}
