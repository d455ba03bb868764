// Samples of fft.rfft2.
#include "weft/ops/fft/fft_reference.h"

using namespace weft::suite;

static Arrays reference(const Attrs& at, const Arrays& in) {
  const auto s = at.get<std::optional<Ints>>("s");
  const auto& norm = at.get<std::string>("norm");
  Ints axes = at.get<Ints>("axes");
  Array x = in[0];
  x.dtype = complex_like(x.dtype);
  for (size_t i = axes.size(); i-- > 0;) {
    x = each_line(x, axes[i], complex_like(x.dtype), [&](const auto& line) {
      const int64_t n = s && (*s)[i] != -1 ? (*s)[i] : static_cast<int64_t>(line.size());
      const auto out = summed(line, n, -1, scale_of(norm, n, false));
      return i + 1 == axes.size() ? first_half(out) : out;
    });
  }
  return {x};
}

WEFT_OP_TEST(fft__rfft2) {
  t.skip("special", "what an infinity leaves of the others depends on which sums it meets first");
  t.skip("symbolic", "a transform's length is part of its factor, so it must be known");
  t.sample({in({4, 3})});
  t.sample({in({3, 2, 4})}, "s=[2, 3], axes=[0, 2], norm=\"ortho\"");
  t.sample({in({2, 3, 4})}, "s=[-1, 5], norm=\"forward\"");
  t.large({in({20, 12, 10})});
  t.reference(reference);
  t.tolerance(8, "sums of as many products as the axis is long");
  t.error("axis", {in({3, 2})}, "axes=[0, 2]",
          "rfft2: axis 2 is out of range for shape [3, 2]; axes go from -2 to 1 [rfft2.axis]");
  t.error("axis_twice", {in({3, 2})}, "axes=[0, -2]",
          "rfft2: axes [0, -2] name an axis of shape [3, 2] twice; name each axis once "
          "[rfft2.axis_twice]");
  t.error("length", {in({3, 2})}, "s=[0, 2], axes=[0, 1]",
          "rfft2: the length of the transform is 0; it must be at least 1 [rfft2.length]");
  t.error("norm", {in({3, 2})}, "norm=\"both\"",
          "rfft2: norm is 'both'; it must be 'backward', 'ortho' or 'forward' [rfft2.norm]");
  t.error("count", {in({3, 2})}, "s=[2], axes=[0, 1]",
          "rfft2: s has 1 lengths, but there are 2 axes to transform [rfft2.count]");
  t.error("count", {in({2, 3})}, "axes=[]",
          "rfft2: there is no axis to transform; at least one is needed [rfft2.count]");
}
