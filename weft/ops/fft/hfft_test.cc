// Samples of fft.hfft.
#include "weft/ops/fft/fft_reference.h"

using namespace weft::suite;

static Arrays reference(const Attrs& at, const Arrays& in) {
  const auto asked = at.get<std::optional<int64_t>>("n");
  const auto& norm = at.get<std::string>("norm");
  return {each_line(in[0], at.get<int64_t>("axis"), real_like(in[0].dtype), [&](const auto& x) {
    const int64_t n = asked.value_or(2 * (static_cast<int64_t>(x.size()) - 1));
    return summed(completed(x, n), n, -1, scale_of(norm, n, false));
  })};
}

WEFT_OP_TEST(fft__hfft) {
  t.skip("special", "what an infinity leaves of the others depends on which sums it meets first");
  t.skip("symbolic", "a transform's length is part of its factor, so it must be known");
  t.sample({in({4})});
  t.sample({in({2, 5})}, "n=3, axis=0");
  t.sample({in({4, 2})}, "n=4, axis=0, norm=\"ortho\"");
  t.sample({in({2, 4})}, "n=9, norm=\"forward\"");
  t.large({in({40, 49})});
  t.reference(reference);
  t.tolerance(8, "sums of as many products as the axis is long");
  t.error("axis", {in({3})}, "axis=-2",
          "hfft: axis -2 is out of range for shape [3]; axes go from -1 to 0 [hfft.axis]");
  t.error("length", {in({3})}, "n=0",
          "hfft: the length of the transform is 0; it must be at least 1 [hfft.length]");
  t.error("norm", {in({3})}, "norm=\"both\"",
          "hfft: norm is 'both'; it must be 'backward', 'ortho' or 'forward' [hfft.norm]");
}
