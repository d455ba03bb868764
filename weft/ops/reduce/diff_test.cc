// Samples of diff.
#include "weft/ops/reduce/reduce_reference.h"
#include "weft/ops/reduce/reduce_samples.h"

using namespace weft::suite;

namespace {

ScalarValue minus(const ScalarValue& a, const ScalarValue& b, DType dtype) {
  if (dtype == DType::kBool) return {0, 0, a.i != b.i};
  const uint64_t gap = static_cast<uint64_t>(a.i) - static_cast<uint64_t>(b.i);
  const int unused = static_cast<int>(64 - 8 * size_of(is_integer(dtype) ? dtype : DType::kI64));
  const auto wrapped = static_cast<int64_t>(gap << unused);  // integers wrap around
  return {a.re - b.re, a.im - b.im,
          is_unsigned_integer(dtype) ? static_cast<int64_t>(gap << unused >> unused)
                                     : wrapped >> unused};
}

// The lines of `ends` in the order of x's; a scalar has one element for all.
Arrays reference(const Attrs& at, const Arrays& in) {
  const Array& x = in[0];
  const int64_t axis = normalized(at.get<int64_t>("axis"), static_cast<int64_t>(x.shape.size()));
  const int64_t n = at.get<int64_t>("n");
  const auto along = static_cast<size_t>(axis);
  std::vector<int64_t> shape = x.shape;
  for (size_t k = 1; k < in.size(); ++k) {
    shape[along] += in[k].shape.empty() ? 1 : in[k].shape[along];
  }
  shape[along] = std::max<int64_t>(0, shape[along] - n);
  size_t line = 0;
  const auto part = [&](size_t k) -> Row {
    if (k >= in.size()) return {};
    if (in[k].shape.empty()) return {in[k].values[0]};
    Row row;
    const auto lines = reduction_groups(in[k], {axis});
    for (size_t i : lines[line]) row.push_back(in[k].values[i]);
    return row;
  };
  return {along_axis(x, axis, shape, x.dtype, [&](const Row& own) {
    Row row = part(1);
    row.insert(row.end(), own.begin(), own.end());
    const Row after = part(2);
    row.insert(row.end(), after.begin(), after.end());
    ++line;
    for (int64_t k = 0; k < n && !row.empty(); ++k) {
      for (size_t i = 0; i + 1 < row.size(); ++i) row[i] = minus(row[i + 1], row[i], x.dtype);
      row.pop_back();
    }
    return row;
  })};
}

}  // namespace

WEFT_OP_TEST(diff) {
  t.skip("symbolic", "the size along the axis must be known");
  t.sample({in({6})});
  t.sample({in({3, 4})}, "axis=0");
  t.sample({in({2, 5})}, "n=2");
  t.sample({in({2, 5})}, "n=0");
  t.sample({in({2, 3})}, "n=4");
  t.sample({in({2, 3}), in({2, 2}), in({2, 1})}, "axis=-1");
  t.sample({in({2, 3}), in({})}, "axis=0");
  t.large({in({300, 301})}, "axis=0");
  t.reference(reference);
  t.error("n", {in({3})}, "n=-1", "diff: n is -1; it must be at least 0 [diff.n]");
  t.error("ends", {in({2, 3}), in({3, 1})}, "",
          "diff: prepend has shape [3, 1] but x has shape [2, 3]; they may differ only on axis 1 "
          "[diff.ends]");
  t.error("axis", {in({2, 3})}, "axis=2",
          "diff: axis 2 is out of range for shape [2, 3]; axes go from -2 to 1 [diff.axis]");
}
