// Samples of reshape.
#include "weft/ops/shape/moving_reference.h"

using namespace weft::suite;

static Arrays reference(const Attrs& at, const Arrays& in) {
  Places shape = places_of(at.get<Shape>("shape"));
  int64_t known = 1;
  for (int64_t size : shape) known *= size < 0 ? 1 : size;
  for (int64_t& size : shape) {
    if (size < 0) size = count(in[0].shape) / known;
  }
  return {reshaped(in[0], shape)};
}

WEFT_OP_TEST(reshape) {
  t.sample({in({3, 4})}, "shape=[2, 6]");
  t.sample({in({3, 4})}, "shape=[-1, 2]");
  t.sample({in({})}, "shape=[1, 1]");
  t.sample({in({1})}, "shape=[]");
  t.sample({in({0, 3})}, "shape=[3, 0]");
  t.sample({in({0, 3})}, "shape=[-1, 3]");
  t.reference(reference);
  t.error("one_open", {in({3, 4})}, "shape=[-1, -1]",
          "reshape: shape [-1, -1] has more than one -1; at most one size can be left open "
          "[reshape.one_open]");
  t.error("negative", {in({3, 4})}, "shape=[-2, 6]",
          "reshape: shape [-2, 6] has a negative size; sizes are at least 0, and -1 stands for "
          "what is left [reshape.negative]");
  t.error("count", {in({3, 4})}, "shape=[5]",
          "reshape: cannot reshape [3, 4] with 12 elements to [5] with 5; the number of elements "
          "must stay [reshape.count]");
  t.error("count", {in({3, 4})}, "shape=[5, -1]",
          "reshape: cannot reshape [3, 4] with 12 elements to [5, -1]; the count must be a "
          "multiple of 5 [reshape.count]");
}
