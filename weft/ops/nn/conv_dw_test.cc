// Samples of conv.dw.
#include "weft/ops/nn/conv_reference.h"

using namespace weft::suite;

namespace {

Arrays reference(const Attrs& at, const Arrays& in) {
  const ConvForm form = conv_form(at, in[0].shape.size() - 2);
  const Ints& taps = at.get<Ints>("taps");
  std::vector<int64_t> shape(taps.begin(), taps.end());
  shape.push_back(in[0].shape.back() / form.groups);
  shape.push_back(in[1].shape.back());
  Array out = like(in[0], shape);
  for_each_term(form, in[0], in[1].shape, shape, [&](const ScalarValue& a, size_t from, size_t to) {
    add_product(out.values[to], a, in[1].values[from]);
  });
  for (ScalarValue& v : out.values) v.i = low_bits(out.dtype, v.i);
  return {out};
}

}  // namespace

WEFT_OP_TEST(nn__conv__dw) {
  t.skip("zero", "0 * inf in a sum of products is NaN, in the gradient as in the product");
  t.sums_batches_elsewhere("the gradient of an input that a batch shares is one sum over channels");
  t.sample({in({2, 5, 3}), in({2, 3, 2})}, "taps=[3]");
  t.sample({in({2, 4, 5, 2}), in({2, 4, 3, 3})},
           "taps=[3, 2], stride=[1, 2], low=[1, 0], high=[1, 1]");
  t.sample({in({1, 6, 5, 4}), in({1, 4, 2, 4})}, "taps=[2, 2], dilation=[2, 3], groups=2");
  t.sample({in({2, 4, 4, 3}), in({2, 4, 4, 3})}, "taps=[3, 3], low=[1, 1], high=[1, 1], groups=3");
  t.sample({in({1, 4, 3, 2}), in({1, 3, 4, 4})},
           "taps=[2, 3], stride=[3, 2], low=[1, 2], high=[2, 1], input_dilation=[2, 3], groups=2");
  t.sample({in({1, 3, 3, 2, 2}), in({1, 2, 2, 2, 2})},
           "taps=[2, 2, 1], stride=[2, 1, 1], low=[1, 0, 0]");
  t.sample({in({0, 4, 2}), in({0, 2, 3})}, "taps=[3]");
  t.large({in({2, 17, 18, 12}), in({2, 17, 18, 20})}, "taps=[3, 3], low=[1, 1], high=[1, 1]");
  t.large({in({2, 24, 24, 16}), in({2, 12, 12, 16})},
          "taps=[3, 3], stride=[2, 2], low=[1, 1], high=[0, 0], groups=16");
  t.reference(reference);
  t.tolerance(16, "up to 36 terms of size 4 are summed, in f16 and bf16 rounded once at the end");
  t.error("rank", {in({3, 4}), in({3, 4})}, "taps=[]",
          "conv.dw: x has shape [3, 4] and g has shape [3, 4]; both must be [batch, space.., "
          "channels] with the same 1 to 3 axes of space [conv.dw.rank]");
  t.error("taps", {in({2, 5, 3}), in({2, 3, 2})}, "taps=[3, 3]",
          "conv.dw: taps is [3, 3], but x has 1 axes of space; give a number for each of them "
          "[conv.dw.taps]");
  t.error("count", {in({2, 5, 3}), in({2, 3, 2})}, "taps=[3], low=[1, 2]",
          "conv.dw: low has 2 numbers, but x has 1 axes of space; give one for each of them "
          "[conv.dw.count]");
  t.error("positive", {in({2, 5, 3}), in({2, 3, 2})}, "taps=[3], groups=0",
          "conv.dw: groups is [0]; it must be at least 1 [conv.dw.positive]");
  t.error("window", {in({2, 5, 3}), in({2, 3, 2})}, "taps=[6]",
          "conv.dw: the window covers 6 places of axis 1, which has 5 with its padding (x has "
          "shape [2, 5, 3]); it must cover at least 1 and fit in [conv.dw.window]");
  t.error("output", {in({2, 5, 3}), in({2, 4, 2})}, "taps=[3]",
          "conv.dw: g has shape [2, 4, 2], but conv of x gives shape [2, 3, 2]; they must be equal "
          "[conv.dw.output]");
  t.error("groups", {in({2, 5, 4}), in({2, 3, 3})}, "taps=[3], groups=2",
          "conv.dw: x has 4 channels and g has 3, but there are 2 groups; both must be multiples "
          "[conv.dw.groups]");
}
