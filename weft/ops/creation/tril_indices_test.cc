// Samples of tril_indices and triu_indices.
#include "tests/op_suite/samples.h"
#include "weft/base/text.h"

using namespace weft::suite;

namespace {

template <bool is_lower>
Arrays reference(const Attrs& at, const Arrays&) {
  const auto n = at.get<int64_t>("n"), k = at.get<int64_t>("k");
  const int64_t m = at.get<std::optional<int64_t>>("m").value_or(n);
  Array rows{DType::kI64, {0}, {}}, columns = rows;
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < m; ++j) {
      if (is_lower ? j - i > k : j - i < k) continue;
      rows.values.push_back({0, 0, i});
      columns.values.push_back({0, 0, j});
    }
  }
  rows.shape[0] = columns.shape[0] = static_cast<int64_t>(rows.values.size());
  return {rows, columns};
}

void samples(OpTest& t) {
  t.sample({}, "n=3");
  t.sample({}, "n=4, k=1");
  t.sample({}, "n=4, k=-2");
  t.sample({}, "n=3, k=1, m=5");
  t.sample({}, "n=5, k=-1, m=2");
  t.sample({}, "n=2, k=9");
  t.sample({}, "n=2, k=-9");
  t.sample({}, "n=0");
  t.sample({}, "n=3, m=0");
  t.sample({}, "n=2, k=9223372036854775807");
  t.sample({}, "n=2, k=-9223372036854775808");
  t.large({}, "n=600");
  t.error("negative", {}, "n=3, m=-1",
          weft::text(t.op, ": the matrix has 3 rows and -1 columns; sizes are at least 0 [", t.op,
                     ".negative]"));
  t.error("overflow", {}, "n=9223372036854775807",
          weft::text(t.op,
                     ": a triangle of 9223372036854775807 rows and 9223372036854775807 columns has "
                     "2^63 elements or more; use smaller sizes [",
                     t.op, ".overflow]"));
}

}  // namespace

WEFT_OP_TEST(tril_indices) {
  samples(t);
  t.reference(reference<true>);
}
WEFT_OP_TEST(triu_indices) {
  samples(t);
  t.reference(reference<false>);
}
