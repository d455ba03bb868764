// Samples of random.randint.
#include "weft/ops/random/random_reference.h"

using namespace weft::suite;

namespace {

// floor(bits * span / 2^64), by long division of halves.
int64_t draw(const Words& w, int64_t low, uint64_t span) {
  __extension__ using Wide = unsigned __int128;
  const uint64_t offset =
      span == 0 ? wide(w) : static_cast<uint64_t>(static_cast<Wide>(wide(w)) * span >> 64);
  return static_cast<int64_t>(static_cast<uint64_t>(low) + offset);
}

Arrays reference(const Attrs& at, const Arrays& in) {
  Array out = shaped(at.get<DType>("dtype"), at.get<weft::Shape>("shape"));
  const auto word = [&](size_t k) { return static_cast<uint32_t>(in[0].values[k].i); };
  const int64_t low = at.get<int64_t>("low"), high = at.get<int64_t>("high");
  for (size_t i = 0; i < out.values.size(); ++i) {
    out.values[i].i = draw(words_at(word(0), word(1), i), low,
                           static_cast<uint64_t>(high) - static_cast<uint64_t>(low));
  }
  return {out};
}

Arrays draws_reference(const Attrs& at, const Arrays& in) {
  Array out = shaped(at.get<DType>("dtype"), at.get<weft::Shape>("shape"));
  const auto word = [&](size_t k) { return static_cast<uint32_t>(in[k].values[0].i); };
  for (size_t i = 0; i < out.values.size(); ++i) {
    out.values[i].i = draw(words_at(word(0), word(1), i), in[2].values[0].i,
                           static_cast<uint64_t>(in[3].values[0].i));
  }
  return {out};
}

}  // namespace

WEFT_OP_TEST(random__randint) {
  const Arg key = exactly({2}, {7, 9});
  t.sample({key}, "low=0, high=10, shape=[3, 50]");
  t.sample({key}, "low=-100, high=28, shape=[50], dtype=int8");
  t.sample({key}, "low=0, high=256, shape=[50], dtype=uint8");
  t.sample({key}, "low=-9223372036854775808, high=9223372036854775807, shape=[50]");
  t.sample({key}, "low=5, high=6, shape=[]");
  t.sample({key}, "low=5, high=6000000000, shape=[9], dtype=uint64");
  t.large({exactly({2}, {7, 9})}, "low=0, high=10, shape=[300, 301]");
  t.reference(reference);
  t.error("key", {exactly({3}, {1, 2, 3})}, "low=0, high=2, shape=[2]",
          "randint: the key has shape [3], but one key has shape [2]; index a batch of keys, or "
          "vmap over it [randint.key]");
  t.error("negative", {key}, "low=0, high=2, shape=[-1]",
          "randint: shape [-1] has a negative size; sizes are at least 0 [randint.negative]");
  t.error("dtype", {key}, "low=0, high=2, shape=[2], dtype=float32",
          "randint: dtype is float32; it must be an integer [randint.dtype]");
  t.error("range", {key}, "low=2, high=2, shape=[2]",
          "randint: low is 2 and high is 2; low must be below high [randint.range]");
  t.error("fit", {key}, "low=0, high=257, shape=[2], dtype=uint8",
          "randint: uint8 does not hold all of 0 to 256; choose a wider dtype [randint.fit]");
  t.error("fit", {key}, "low=-1, high=2, shape=[2], dtype=uint64",
          "randint: uint64 does not hold all of -1 to 1; choose a wider dtype [randint.fit]");
}

WEFT_OP_TEST(random__int_draws) {
  const Arg k0 = exactly({}, {1}), k1 = exactly({}, {2});
  t.sample({k0, k1, exactly({}, {-3}), exactly({}, {10})}, "shape=[300], dtype=int32");
  t.sample({k0, k1, exactly({}, {0}), exactly({}, {0})}, "shape=[30], dtype=int64");
  t.large({exactly({}, {7}), exactly({}, {9}), exactly({}, {-3}), exactly({}, {10})},
          "shape=[300, 301], dtype=int32");
  t.reference(draws_reference);
  t.error("negative", {k0, k1, exactly({}, {0}), exactly({}, {1})}, "shape=[-1], dtype=int64",
          "int_draws: shape [-1] has a negative size; sizes are at least 0 [int_draws.negative]");
}
