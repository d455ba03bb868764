// Samples of random.permutation.
#include "weft/ops/random/random_reference.h"

using namespace weft::suite;

namespace {

Arrays reference(const Attrs& at, const Arrays& in) {
  __extension__ using Wide = unsigned __int128;
  const int64_t n = at.get<weft::Shape>("n")[0].value();
  Array out{DType::kI64, in[0].shape, {}};
  out.shape.back() = n;
  for (size_t k = 0; k < in[0].values.size(); k += 2) {
    std::vector<int64_t> row;
    for (int64_t i = 0; i < n; ++i) row.push_back(i);
    for (int64_t i = n - 1; i > 0; --i) {
      const Words w = weft::random::philox(
          static_cast<uint32_t>(in[0].values[k].i), static_cast<uint32_t>(in[0].values[k + 1].i),
          static_cast<uint64_t>(i), weft::random::Stream::kShuffle);
      const auto j =
          static_cast<size_t>(static_cast<Wide>(wide(w)) * static_cast<Wide>(i + 1) >> 64);
      std::swap(row[static_cast<size_t>(i)], row[j]);
    }
    for (int64_t i : row) out.values.push_back({0, 0, i});
  }
  return {out};
}

}  // namespace

WEFT_OP_TEST(random__permutation) {
  t.sample({exactly({2}, {7, 9})}, "n=10");
  t.sample({exactly({2, 2}, {7, 9, 1, 2})}, "n=5");
  t.sample({exactly({2}, {7, 9})}, "n=1");
  t.sample({exactly({2}, {7, 9})}, "n=0");
  t.large({exactly({2, 2}, {7, 9, 1, 2})}, "n=50000");
  t.reference(reference);
  t.error("key", {exactly({3}, {1, 2, 3})}, "n=2",
          "permutation: the key has shape [3]; the last axis of a key has its 2 words "
          "[permutation.key]");
  t.error("negative", {exactly({2}, {1, 2})}, "n=-1",
          "permutation: n is -1; it must be at least 0 [permutation.negative]");
  t.error("size", {exactly({2}, {1, 2})}, "n=[2, 3]",
          "permutation: n has 2 sizes: [2, 3]; it must be one [permutation.size]");
}
