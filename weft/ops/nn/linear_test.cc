// Samples of linear.
#include "weft/ops/nn/conv_reference.h"

using namespace weft::suite;

namespace {

Arrays reference(const Attrs&, const Arrays& in) {
  const Array &x = in[0], &weight = in[1];
  const auto features = static_cast<size_t>(weight.shape[1]);
  const auto filters = static_cast<size_t>(weight.shape[0]);
  std::vector<int64_t> shape = x.shape;
  shape.back() = weight.shape[0];
  Array out = like(x, shape);
  for (size_t i = 0; i < out.values.size(); ++i) {
    const size_t row = i / filters, f = i % filters;
    ScalarValue& to = out.values[i];
    for (size_t k = 0; k < features; ++k) {
      add_product(to, x.values[row * features + k], weight.values[f * features + k]);
    }
    if (in.size() > 2) {
      to.re += in[2].values[f].re;
      to.im += in[2].values[f].im;
      to.i = static_cast<int64_t>(static_cast<uint64_t>(to.i) +
                                  static_cast<uint64_t>(in[2].values[f].i));
    }
    to.i = low_bits(out.dtype, to.i);
  }
  return {out};
}

}  // namespace

WEFT_OP_TEST(nn__linear) {
  t.skip("zero", "0 * inf in a sum of products is NaN, in the gradient as in the product");
  t.sums_batches_elsewhere("the gradient of a weight that a batch shares is one sum over it");
  t.sample({in({2, 4}), in({3, 4}), in({3})});
  t.sample({in({2, 2, 4}), in({3, 4})});
  t.sample({in({4}), in({3, 4}), in({3})});
  t.sample({in({0, 4}), in({3, 4}), in({3})});
  t.sample({in({2, 0}), in({3, 0}), in({3})});
  t.large({in({300, 70}), in({110, 70}), in({110})});
  t.reference(reference);
  t.tolerance(8, "up to 4 terms of size 4 are summed, in f16 and bf16 rounded before the bias");
  t.error("rank", {in({}), in({3, 4})}, "",
          "linear: x has rank 0; its last axis holds the features [linear.rank]");
  t.error("weight", {in({4}), in({4})}, "",
          "linear: weight has shape [4]; it must be [features out, features in] [linear.weight]");
  t.error("features", {in({2, 3}), in({3, 4})}, "",
          "linear: x has 3 features, but weight, of shape [3, 4], takes 4; they must be equal "
          "[linear.features]");
  t.error("bias", {in({2, 4}), in({3, 4}), in({4})}, "",
          "linear: bias has shape [4], but weight gives 3 features; it must have one number each "
          "[linear.bias]");
}
