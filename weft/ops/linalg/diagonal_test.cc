// Samples of diagonal.
#include "tests/op_suite/samples.h"

using namespace weft::suite;

static Arrays reference(const Attrs& at, const Arrays& in) {
  const Array& x = in[0];
  const int64_t rows = x.shape[x.shape.size() - 2], columns = x.shape.back();
  const auto offset = at.get<int64_t>("offset");
  const int64_t row = offset < 0 ? std::min(rows, -std::max(offset, -rows)) : 0;
  const int64_t column = offset > 0 ? std::min(columns, offset) : 0;
  const int64_t length = std::min(rows - row, columns - column);
  Array out = like(x, x.shape);
  out.shape.pop_back();
  out.shape.back() = length;
  out.values.resize(static_cast<size_t>(count(out.shape)));
  for (size_t i = 0; i < out.values.size(); ++i) {
    const auto at_out = static_cast<int64_t>(i);
    const int64_t k = at_out % length, matrix = at_out / length;
    out.values[i] = x.values[static_cast<size_t>((matrix * rows + row + k) * columns + column + k)];
  }
  return {out};
}

WEFT_OP_TEST(diagonal) {
  t.sample({in({3, 3})});
  t.sample({in({2, 3, 4})}, "offset=1");
  t.sample({in({4, 2})}, "offset=-1");
  t.sample({in({4, 2})}, "offset=1");
  t.sample({in({2, 2})}, "offset=5");
  t.sample({in({2, 2})}, "offset=-9223372036854775808");
  t.sample({in({0, 3})});
  t.reference(reference);
  t.error("rank", {in({3})}, "",
          "diagonal: a matrix needs at least 2 axes, but the input has shape [3] [diagonal.rank]");
}
