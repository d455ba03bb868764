// Samples of random.split.
#include "weft/ops/random/random_reference.h"

using namespace weft::suite;

namespace {

Arrays reference(const Attrs& at, const Arrays& in) {
  Array out = in[0];
  out.values.clear();
  out.shape.insert(out.shape.end() - 1, at.get<int64_t>("count"));
  for (size_t k = 0; k < in[0].values.size(); k += 2) {
    for (int64_t i = 0; i < at.get<int64_t>("count"); ++i) {
      const Words w = weft::random::philox(static_cast<uint32_t>(in[0].values[k].i),
                                           static_cast<uint32_t>(in[0].values[k + 1].i),
                                           static_cast<uint64_t>(i), weft::random::Stream::kSplit);
      out.values.push_back({0, 0, w.words[0]});
      out.values.push_back({0, 0, w.words[1]});
    }
  }
  return {out};
}

}  // namespace

WEFT_OP_TEST(random__split) {
  t.sample({exactly({2}, {7, 9})});
  t.sample({exactly({2, 2}, {7, 9, 1, 2})}, "count=3");
  t.sample({exactly({2}, {7, 9})}, "count=0");
  t.large({exactly({2}, {7, 9})}, "count=50000");
  t.reference(reference);
  t.error("key", {exactly({}, {1})}, "",
          "split: the key has shape []; the last axis of a key has its 2 words [split.key]");
  t.error("negative", {exactly({2}, {1, 2})}, "count=-1",
          "split: count is -1; it must be at least 0 [split.negative]");
}
