// Samples of unique_all, unique_counts, unique_inverse and unique_values.
#include <gtest/gtest.h>

#include "weft/base/text.h"
#include "weft/ops/sort/sort_reference.h"
#include "weft/weft.h"

using namespace weft::suite;

namespace {

bool is_complex_before(const ScalarValue& a, const ScalarValue& b) {
  return a.re < b.re || (a.re == b.re && a.im < b.im);
}
bool is_equal(const ScalarValue& a, const ScalarValue& b) {
  return a.re == b.re && a.im == b.im && a.i == b.i;
}

struct Sets {
  Array values, indices{DType::kI64, {}, {}}, inverse{DType::kI64, {}, {}},
      counts{DType::kI64, {}, {}};
};

Sets sets_of(const Array& x) {
  std::vector<size_t> order = order_of(x.values, x.dtype, false);
  if (is_complex(x.dtype)) {
    order = stable_order(x.values.size(), [&](size_t i, size_t j) {
      return is_complex_before(x.values[i], x.values[j]);
    });
  }
  Sets out;
  out.values = {x.dtype, {}, {}};
  out.inverse.shape = x.shape;
  out.inverse.values.resize(x.values.size());
  for (size_t i = 0; i < order.size(); ++i) {
    const ScalarValue& value = x.values[order[i]];
    if (i == 0 || !is_equal(value, x.values[order[i - 1]])) {
      out.values.values.push_back(value);
      out.indices.values.push_back({0, 0, static_cast<int64_t>(order[i])});
      out.counts.values.push_back({0, 0, 0});
    }
    ++out.counts.values.back().i;
    out.inverse.values[order[i]].i = static_cast<int64_t>(out.values.values.size()) - 1;
  }
  const auto n = static_cast<int64_t>(out.values.values.size());
  out.values.shape = out.indices.shape = out.counts.shape = {n};
  return out;
}

void samples(OpTest& t) {
  t.skip("special", "the number of results depends on the values");
  for (const char* column : {"symbolic", "vmap", "vmap(grad)", "grad(vmap)"}) {
    t.skip(column, weft::text("raises [", t.op, ".batch]: values decide the size of the result"));
  }
  const char* const kTies = "elements that are equal part when they are moved";
  t.kink({exactly({2, 4}, {1, 0, 1, 1, 0, 1, 2, 1})}, "", kTies);
  t.kink({exactly({5}, {3, 1, 2, 1, 3})}, "", kTies);
  t.sample({in({6})});
  t.sample({in({})});
  t.sample({in({0, 3})});
  t.large({typed(in({300, 301}, 0, 99), DType::kI64)});
  t.kink({exactly({7}, {NAN, -0.0, 1, NAN, 0.0, INFINITY, 1}, DType::kF32)}, "", kTies);
}

}  // namespace

WEFT_OP_TEST(unique_all) {
  samples(t);
  t.reference([](const Attrs&, const Arrays& in) -> Arrays {
    const Sets sets = sets_of(in[0]);
    return {sets.values, sets.indices, sets.inverse, sets.counts};
  });
}

WEFT_OP_TEST(unique_counts) {
  samples(t);
  t.reference([](const Attrs&, const Arrays& in) -> Arrays {
    const Sets sets = sets_of(in[0]);
    return {sets.values, sets.counts};
  });
}

WEFT_OP_TEST(unique_inverse) {
  samples(t);
  t.reference([](const Attrs&, const Arrays& in) -> Arrays {
    const Sets sets = sets_of(in[0]);
    return {sets.values, sets.inverse};
  });
}

WEFT_OP_TEST(unique_values) {
  samples(t);
  t.reference([](const Attrs&, const Arrays& in) -> Arrays { return {sets_of(in[0]).values}; });
}

TEST(Unique, RaisesInVmap) {
  try {
    weft::vmap([](weft::Tensor x) { return weft::unique_values(x); })(weft::zeros({2, 3}));
    FAIL() << "nothing was raised";
  } catch (const weft::Error& error) {
    EXPECT_EQ(text(error.op, ": ", error.message, " [", error.op, ".", error.law, "]"),
              "unique_values: how many distinct elements there are differs between the examples of "
              "a vmap, so there is no common shape; call it outside of vmap, or sort x and compare "
              "neighbours [unique_values.batch]");
  }
}
