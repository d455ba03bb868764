// Samples of sort and argsort.
#include "weft/base/text.h"
#include "weft/ops/sort/sort_reference.h"

using namespace weft::suite;

namespace {

template <bool indices>
Arrays reference(const Attrs& at, const Arrays& in) {
  const int64_t axis = at.get<int64_t>("axis");
  return {ordered(in[0], axis, length_along(in[0], axis), at.get<bool>("descending"), indices)};
}

void sort_samples(OpTest& t) {
  t.sample({distinct({7})});
  t.sample({distinct({3, 5})}, "axis=0");
  t.sample({distinct({2, 3, 4})}, "axis=1, descending=true");
  t.sample({distinct({2, 300})}, "descending=true, stable=false");
  t.sample({in({0, 3})});
  t.sample({in({2, 0})});
  t.sample({in({3, 1})});
  t.large({in({300, 301})});
  t.large({in({300, 301})}, "axis=0, descending=true");
  t.large({in({90000})});
  t.error("axis", {in({2, 3})}, "axis=2",
          text(t.op, ": axis 2 is out of range for shape [2, 3]; axes go from -2 to 1 [", t.op,
               ".axis]"));
  t.error(
      "axis", {in({})}, "",
      text(t.op, ": axis -1 is out of range: the input has rank 0 and no axes [", t.op, ".axis]"));
  t.error(
      "dtype", {typed(in({2}), DType::kC64)}, "",
      text(t.op, ": x has dtype complex64, but must be ordered; cast it first [", t.op, ".dtype]"));
}

// Ties, both zeros, infinities and NaN.
void tied_samples(OpTest& t) {
  const auto ties = exactly({3, 6}, {1, 0, 1, 1, 0, 1, 2, 2, 2, 2, 2, 2, 0, 1, 1, 0, 0, 1});
  const auto zeros = exactly({8}, {0.0, -0.0, 3, -0.0, 0.0, -1, 0.0, -0.0}, DType::kF32);
  const auto special = exactly({7}, {NAN, 1, -INFINITY, INFINITY, NAN, -1, INFINITY}, DType::kF64);
  for (const char* attrs : {"", "descending=true"}) {
    t.kink({ties}, attrs, "equal elements change places");
    t.kink({zeros}, attrs, "equal elements change places");
    t.kink({special}, attrs, "infinities have no neighbours");
  }
}

}  // namespace

WEFT_OP_TEST(sort) {
  sort_samples(t);
  tied_samples(t);
  t.reference(reference<false>);
}

WEFT_OP_TEST(argsort) {
  sort_samples(t);
  tied_samples(t);
  t.reference(reference<true>);
}
