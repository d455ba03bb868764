// Samples of searchsorted.
#include "weft/base/text.h"
#include "weft/ops/sort/sort_reference.h"

using namespace weft::suite;

namespace {

// Counts what is before each value.
Arrays reference(const Attrs& at, const Arrays& in) {
  const bool right = at.get<std::string>("side") == "right";
  const auto n = static_cast<size_t>(in[0].shape.back());
  const size_t rows = in[0].shape.size() == 1 ? 1 : in[0].values.size() / std::max<size_t>(n, 1);
  Array out{DType::kI64, in[1].shape, {}};
  const size_t per_row = in[1].values.size() / std::max<size_t>(rows, 1);
  for (size_t i = 0; i < in[1].values.size(); ++i) {
    const ScalarValue& value = in[1].values[i];
    int64_t count = 0;
    for (size_t j = 0; j < n; ++j) {
      const size_t from = in.size() > 2 ? static_cast<size_t>(in[2].values[j].i) : j;
      const ScalarValue& there = in[0].values[i / per_row * n + from];
      count += right ? !sorts_before(value, there, in[0].dtype)
                     : sorts_before(there, value, in[0].dtype);
    }
    out.values.push_back({0, 0, count});
  }
  return {out};
}

void samples(OpTest& t, const char* name) {
  const Arg sorted = exactly({5}, {0, 1, 1, 3, 4});
  t.skip("special", "what is searched is sorted");
  t.sample({sorted, in({3, 2}, 0, 5)});
  t.sample({sorted, exactly({4}, {1, 3, 0, 4})}, "side=\"right\"");
  t.sample({sorted, exactly({4}, {1, 3, 0, 4})}, "side=\"left\"");
  t.sample({exactly({2, 3}, {0, 1, 2, 1, 3, 5}), in({2, 4}, 0, 5)});
  t.sample({sorted, in({}, 0, 5)});
  t.sample({exactly({0}, {}), in({3})});
  t.sample({exactly({4}, {-INFINITY, -0.0, INFINITY, NAN}, DType::kF32),
            exactly({5}, {NAN, INFINITY, 0.0, -INFINITY, 7}, DType::kF32)},
           "side=\"right\"");
  t.large({exactly({3}, {-1, 0, 1}), in({300, 301})});
  t.reference(reference);
  t.error("side", {sorted, in({2})}, "side=\"middle\"",
          text(name, ": side is 'middle'; it must be 'left' or 'right' [", name, ".side]"));
  t.error("shape", {exactly({2, 2}, {0, 1, 0, 1}), in({3, 2})}, "",
          text(name,
               ": sorted has shape [2, 2] but values have shape [3, 2]; sorted has rank 1, "
               "or they may differ only on the last axis [",
               name, ".shape]"));
}

}  // namespace

WEFT_OP_TEST(searchsorted) {
  samples(t, "searchsorted");
  t.sample({exactly({4}, {3, 1, 4, 0}), in({5}, 0, 5), indices({4}, {3, 1, 0, 2})});
  t.error("sorter", {in({3}), in({2}), indices({2}, {0, 1})}, "",
          "searchsorted: sorter has shape [2] but sorted has shape [3]; they must be equal "
          "[searchsorted.sorter]");
  t.error("dtype", {typed(in({3}), DType::kC64), in({2})}, "",
          "searchsorted: an input has dtype complex64, but must be ordered; cast it first "
          "[searchsorted.dtype]");
}

WEFT_OP_TEST(searchsorted__indices) { samples(t, "searchsorted.indices"); }
