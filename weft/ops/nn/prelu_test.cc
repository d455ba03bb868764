// Samples of prelu.
#include "tests/op_suite/scalar_reference.h"

using namespace weft::suite;

namespace {

Arrays reference(const Attrs&, const Arrays& in) {
  Array out = like(in[0], in[0].shape);
  for (size_t i = 0; i < out.values.size(); ++i) {
    const std::vector<int64_t> at = unravel(static_cast<int64_t>(i), out.shape);
    const size_t channel = in[1].values.size() == 1 ? 0 : static_cast<size_t>(at[1]);
    const long double x = in[0].values[i].re;
    out.values[i] = stored_as(out.dtype, {x > 0 ? x : x * in[1].values[channel].re, 0, 0});
  }
  return {out};
}

}  // namespace

WEFT_OP_TEST(nn__prelu) {
  t.sample({in({3, 4}, -2, -0.1), in({4})});
  t.sample({in({2, 3, 2}, -2, -0.1), in({3})});
  t.sample({in({2, 3, 2}, 0.1, 2), in({3})});
  t.sample({in({5}, -2, -0.1), in({1})});
  t.sample({in({2, 0, 3}), in({})});
  t.large({in({300, 301}), in({301})});
  t.reference(reference);
  t.error("weight", {in({2, 3}), in({2, 3})}, "",
          "prelu: weight has shape [2, 3]; it must be one number, or one for each channel in a "
          "vector [prelu.weight]");
  t.error("channels", {in({2, 3}), in({4})}, "",
          "prelu: weight has 4 elements, but x has shape [2, 3] and so 3 channels; it must have "
          "one, or as many [prelu.channels]");
  t.error("count", {in({2})}, "", "prelu: takes 2 inputs, but got 1 [prelu.count]");
}
