// Samples of cumulative_prod.
#include "weft/ops/reduce/reduce_reference.h"

using namespace weft::suite;

// Running totals of a line, `initial` first if asked for.
static Row totals(const Row& row, bool initial) {
  ScalarValue total{1, 0, 1};
  Row out;
  if (initial) out.push_back(total);
  for (const ScalarValue& v : row) {
    total = times(total, v);
    out.push_back(total);
  }
  return out;
}

static Arrays reference(const Attrs& at, const Arrays& in) {
  const DType dtype = accumulate_of(in[0].dtype);
  const int64_t axis = at.get<std::optional<int64_t>>("axis").value_or(0);
  const bool initial = at.get<bool>("include_initial");
  std::vector<int64_t> shape = in[0].shape;
  shape[static_cast<size_t>(normalized(axis, static_cast<int64_t>(shape.size())))] += initial;
  return {
      along_axis(in[0], axis, shape, dtype, [&](const Row& row) { return totals(row, initial); })};
}

static Arrays scan_reference(const Attrs& at, const Arrays& in) {
  return {along_axis(in[0], at.get<int64_t>("axis"), in[0].shape, in[0].dtype,
                     [&](const Row& row) { return totals(row, false); })};
}

WEFT_OP_TEST(cumulative_prod) {
  t.sample({in({5})});
  t.sample({in({3, 4})}, "axis=0");
  t.sample({in({2, 3, 4})}, "axis=-2, include_initial=true");
  t.sample({in({2, 0})}, "axis=1, include_initial=true");
  t.sample({in({0})});
  t.reference(reference);
  t.error("axis_needed", {in({2, 3})}, "",
          "cumulative_prod: x has shape [2, 3]; say along which axis to run unless the rank is 1 "
          "[cumulative_prod.axis_needed]");
  t.error("axis", {in({2, 3})}, "axis=2",
          "cumulative_prod: axis 2 is out of range for shape [2, 3]; axes go from -2 to 1 "
          "[cumulative_prod.axis]");
}

WEFT_OP_TEST(cumulative_prod__scan) {
  t.sample({in({3, 4})}, "axis=1");
  t.sample({in({3, 4})}, "axis=0");
  t.sample({in({2, 3, 4})}, "axis=1");
  t.sample({in({2, 0})}, "axis=1");
  t.sample({in({2, 300}, -1, 1)}, "axis=1");
  // Zeros in a line: the gradient divides by nothing.
  t.sample({exactly({2, 4}, {2, 0, 3, 4, 0, 0, 5, 1})}, "axis=1");
  t.reference(scan_reference);
  t.error("axis", {in({2, 3})}, "axis=2",
          "cumulative_prod.scan: axis 2 is out of range for shape [2, 3]; axes go from -2 to 1 "
          "[cumulative_prod.scan.axis]");
}
