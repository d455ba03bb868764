// Samples of fft.fftshift.
#include "tests/op_suite/samples.h"

using namespace weft::suite;

static Arrays reference(const Attrs& at, const Arrays& in) {
  const Array& x = in[0];
  Array out = like(x, x.shape);
  const auto axes = at.get<std::optional<Ints>>("axes");
  for (size_t i = 0; i < x.values.size(); ++i) {
    std::vector<int64_t> place = unravel(static_cast<int64_t>(i), x.shape);
    for (size_t d = 0; d < place.size(); ++d) {
      bool moves = !axes;
      for (size_t k = 0; axes && k < axes->size(); ++k) {
        moves |=
            normalized((*axes)[k], static_cast<int64_t>(place.size())) == static_cast<int64_t>(d);
      }
      const int64_t n = x.shape[d];
      if (moves) place[d] = (place[d] + n / 2) % n;
    }
    out.values[static_cast<size_t>(ravel(place, x.shape))] = x.values[i];
  }
  return {out};
}

WEFT_OP_TEST(fft__fftshift) {
  t.skip("symbolic", "the middle of an axis is where its length says, so it must be known");
  t.sample({in({5})});
  t.sample({in({4, 3})});
  t.sample({in({2, 5, 3})}, "axes=[1]");
  t.sample({in({2, 5, 3})}, "axes=[-1, 0]");
  t.sample({in({0, 3})});
  t.sample({in({})});
  t.large({in({300, 301})});
  t.reference(reference);
  t.error("axis", {in({3})}, "axes=[1]",
          "fftshift: axis 1 is out of range for shape [3]; axes go from -1 to 0 "
          "[fftshift.axis]");
}
