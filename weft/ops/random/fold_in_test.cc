// Samples of random.fold_in.
#include "weft/ops/random/random_reference.h"

using namespace weft::suite;

namespace {

Arrays reference(const Attrs&, const Arrays& in) {
  const Array &key = in[0], &data = in[1];
  Array out = key;
  if (data.shape.size() + 1 > key.shape.size()) {
    out.shape = data.shape;
    out.shape.push_back(2);
  }
  out.values.clear();
  for (int64_t i = 0; i < count(out.shape) / 2; ++i) {
    const size_t k = 2 * static_cast<size_t>(i) % key.values.size();
    const ScalarValue& number = data.values[static_cast<size_t>(i) % data.values.size()];
    const Words w = weft::random::philox(
        static_cast<uint32_t>(key.values[k].i), static_cast<uint32_t>(key.values[k + 1].i),
        static_cast<uint64_t>(number.i), weft::random::Stream::kFold);
    out.values.push_back({0, 0, w.words[0]});
    out.values.push_back({0, 0, w.words[1]});
  }
  return {out};
}

}  // namespace

WEFT_OP_TEST(random__fold_in) {
  t.sample({exactly({2}, {7, 9}), exactly({}, {3})});
  t.sample({exactly({2}, {7, 9}), exactly({3}, {3, 0, 1})});
  t.sample({exactly({3, 2}, {7, 9, 1, 2, 3, 4}), exactly({3}, {3, 0, 1})});
  t.sample({exactly({3, 2}, {7, 9, 1, 2, 3, 4}), exactly({}, {3})});
  t.sample({exactly({2}, {7, 9}), exactly({}, {-3}, DType::kI64)});
  t.large({exactly({2}, {7, 9}), in({20000}, 0, 100)});
  t.reference(reference);
  t.error("key", {exactly({3}, {1, 2, 3}), exactly({}, {3})}, "",
          "fold_in: the key has shape [3]; the last axis of a key has its 2 words [fold_in.key]");
  t.error("broadcast", {exactly({3, 2}, {1, 2, 3, 4, 5, 6}), exactly({2}, {3, 1})}, "",
          "fold_in: shapes [3] and [2] do not broadcast: axis -1 has size 3 and 2; sizes must be "
          "equal or 1 [fold_in.broadcast]");
}
