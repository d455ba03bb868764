// Samples of rms_norm.
#include <cmath>

#include "tests/op_suite/samples.h"

using namespace weft::suite;

namespace {

long double affine(const Arrays& in, size_t i, size_t j, long double otherwise) {
  return i < in.size() ? in[i].values[j].re : otherwise;
}

// Rows are the last `axes` axes together, which lie next to each other.
Arrays reference(const Attrs& at, const Arrays& in) {
  const Array& x = in[0];
  const auto axes = static_cast<size_t>(at.get<int64_t>("axes"));
  size_t length = 1;
  for (size_t k = x.shape.size() - axes; k < x.shape.size(); ++k)
    length *= static_cast<size_t>(x.shape[k]);
  Array out = like(x, x.shape);
  for (size_t start = 0; start < x.values.size(); start += length) {
    long double variance = 0;
    for (size_t j = 0; j < length; ++j) {
      const long double centred = x.values[start + j].re;
      variance += centred * centred / static_cast<long double>(length);
    }
    const long double scale = 1 / std::sqrt(variance + at.get<double>("eps"));
    for (size_t j = 0; j < length; ++j) {
      const long double normal = x.values[start + j].re * scale;
      out.values[start + j].re = normal * affine(in, 1, j, 1) + affine(in, 2, j, 0);
    }
  }
  return {out};
}

}  // namespace

WEFT_OP_TEST(nn__rms_norm) {
  t.skip("zero", "a row with an infinity or NaN is NaN, and so is its gradient");
  t.sample({in({3, 40}), in({40}), in({40})});
  t.sample({in({2, 3, 5}), in({5})}, "eps=0.1");
  t.sample({in({2, 3, 5})});
  t.sample({in({2, 3, 5}), in({3, 5}), in({3, 5})}, "axes=2, eps=0.001");
  t.sample({in({6})}, "axes=1");
  t.sample({in({0, 3})});
  t.sample({in({3, 0})});
  t.large({in({300, 301}), in({301}), in({301})});
  t.reference(reference);
  t.error("axes", {in({3, 4})}, "axes=3",
          "rms_norm: axes is 3, but x has shape [3, 4]; it must be between 1 and the rank of x "
          "[rms_norm.axes]");
  t.error("axes", {in({})}, "",
          "rms_norm: axes is 1, but x has shape []; it must be between 1 and the rank of x "
          "[rms_norm.axes]");
  t.error("affine", {in({3, 4}), in({3})}, "",
          "rms_norm: weight has shape [3], but the last 1 axes of x have shape [4]; they must be "
          "equal, and axes says how many are normalised [rms_norm.affine]");
  t.error("affine", {in({2, 3, 4}), in({3, 4}), in({4})}, "axes=2",
          "rms_norm: bias has shape [4], but the last 2 axes of x have shape [3, 4]; they must "
          "be equal, and axes says how many are normalised [rms_norm.affine]");
}

WEFT_OP_TEST(nn__rms_norm__rows) {
  t.skip("zero", "a row with an infinity or NaN is NaN, and so is its gradient");
  t.sample({in({3, 5}), in({5}), in({5}), exactly({}, {0.01})});
  t.sample({in({2, 3, 5}), in({}), in({}), exactly({}, {0.01})});
  t.sample({in({2, 3, 5}), in({2, 3, 5}), in({3, 1}), exactly({3, 1}, {0.01, 0.02, 0.03})});
  t.large({in({300, 301}), in({301}), in({301}), exactly({}, {0.01})});
  t.error("rank", {in({}), in({}), in({}), in({})}, "",
          "rms_norm.rows: x has rank 0; it needs an axis to normalize along "
          "[rms_norm.rows.rank]");
  t.error("row", {in({3, 1}), in({5}), in({}), in({})}, "",
          "rms_norm.rows: x has rows of length 1, but the other inputs make them 5 long; they "
          "must be equal [rms_norm.rows.row]");
}

WEFT_OP_TEST(nn__rms_norm__vjp) {
  t.skip("zero", "a row with an infinity or NaN is NaN, and so is its gradient");
  t.sample({in({3, 5}), in({3, 5}), in({5}), exactly({}, {0.01})});
  t.sample({in({2, 3, 5}), in({2, 3, 5}), in({}), exactly({}, {0.01})});
  t.sample({in({2, 3, 5}), in({2, 3, 5}), in({2, 1, 5}), exactly({}, {0.01})}, "keep=1");
  t.sample({in({2, 3, 5}), in({2, 3, 5}), in({3, 5}), exactly({3, 1}, {0.01, 0.02, 0.03})},
           "keep=2");
  t.sample({in({37, 70}), in({37, 70}), in({70}), exactly({}, {0.01})});  // several blocks of rows
  t.sample({in({0, 3}), in({0, 3}), in({3}), exactly({}, {0.01})});
  t.large({in({300, 301}), in({300, 301}), in({301}), exactly({}, {0.01})});
  t.error("keep", {in({3, 5}), in({3, 5}), in({5}), in({})}, "keep=2",
          "rms_norm.vjp: keep is 2, but the rows have shape [3, 5]; it must be at least 0 and "
          "below the rank [rms_norm.vjp.keep]");
  t.error("rank", {in({}), in({}), in({}), in({})}, "",
          "rms_norm.vjp: x has rank 0; it needs an axis to normalize along "
          "[rms_norm.vjp.rank]");
  t.error("row", {in({3, 1}), in({3, 5}), in({5}), in({})}, "",
          "rms_norm.vjp: x has rows of length 1, but the other inputs make them 5 long; they "
          "must be equal [rms_norm.vjp.row]");
}
