// Samples of logsumexp.
#include "weft/ops/reduce/reduce_reference.h"
#include "weft/ops/reduce/reduce_samples.h"

using namespace weft::suite;

static Arrays reference(const Attrs& at, const Arrays& in) {
  return reduce_reference(at, in[0], in[0].dtype, [](const Row& row) {
    long double greatest = -INFINITY, total = 0;
    for (const ScalarValue& v : row) {
      if (std::isnan(v.re)) return ScalarValue{v.re, 0, 0};
      greatest = std::fmax(greatest, v.re);
    }
    if (std::isinf(greatest)) return ScalarValue{greatest, 0, 0};
    for (const ScalarValue& v : row) total += std::exp(v.re - greatest);
    return ScalarValue{greatest + std::log(total), 0, 0};
  });
}

WEFT_OP_TEST(logsumexp) {
  axis_samples(t, in);
  t.sample({in({3, 4}, 500, 600)}, "axis=[1]");
  t.sample({in({3, 4}, -600, -500)}, "axis=[1]");
  t.kink({exactly({3, 2}, {-INFINITY, -INFINITY, -INFINITY, 1, INFINITY, 2})}, "axis=[1]",
         "infinities have no differences");
  t.kink({in({3, 0})}, "axis=[1]", "-inf has no differences");
  t.sample({in({0, 3})}, "axis=[1]");
  t.large({in({300, 301})}, "axis=[0]");
  t.large({in({300, 301})}, "axis=[1]");
  t.reference(reference);
  t.error("dtype", {typed(in({2}), weft::DType::kC64)}, "",
          "logsumexp: x has dtype complex64, but must be floating; cast it first "
          "[logsumexp.dtype]");
  axis_errors(t);
}

WEFT_OP_TEST(logsumexp__rows) {
  t.sample({in({3, 4}), in({3, 1})});
  t.sample({in({2, 3, 70}, -50, 50), in({3, 1})});
  t.sample({in({5}), in({})});
  t.sample({in({0, 3}), in({0, 1})});
  t.kink({exactly({2, 2}, {-INFINITY, -INFINITY, -INFINITY, 1}), in({2, 1})}, "",
         "infinities have no differences");
  t.large({in({300, 301}), in({300, 1})});
  t.error("rank", {in({}), in({})}, "",
          "logsumexp.rows: x has rank 0; it needs an axis to sum along [logsumexp.rows.rank]");
  t.error("row", {in({3, 4}), in({4})}, "",
          "logsumexp.rows: base has shape [4]; it has one number for each row of x, so its last "
          "axis has size 1 [logsumexp.rows.row]");
}

WEFT_OP_TEST(logsumexp__vjp) {
  t.sample({in({3, 4}), in({3, 1})});
  t.sample({in({2, 3, 70}, 1, 2), in({2, 3, 1})});
  t.large({in({300, 301}), in({300, 1})});
  t.error("rank", {in({}), in({})}, "",
          "logsumexp.vjp: x has rank 0; it needs an axis to sum along [logsumexp.vjp.rank]");
  t.error("row", {in({3, 4}), in({4})}, "",
          "logsumexp.vjp: g has shape [4]; it has one number for each row of x, so its last axis "
          "has size 1 [logsumexp.vjp.row]");
}
