// Samples of instance_norm.
#include "weft/ops/norm/channel_reference.h"

using namespace weft::suite;

namespace {

Arrays reference(const Attrs& at, const Arrays& in) {
  return {grouped_reference(in, in[0].shape[1], at.get<double>("eps"))};
}

}  // namespace

WEFT_OP_TEST(nn__instance_norm) {
  t.skip("zero", "a channel with an infinity or NaN is NaN, and so is its gradient");
  t.sample({in({2, 3, 4}), in({3}), in({3})});
  t.sample({in({2, 3, 2, 2}), in({3})}, "eps=0.1");
  t.sample({in({1, 2, 1, 2, 2})});
  t.large({in({4, 40, 16}), in({40}), in({40})});
  t.reference(reference);
  t.tolerance(4, "scaled and shifted after rows were rounded to f16 or bf16");
  t.error("rank", {in({3, 2})}, "",
          "instance_norm: x has shape [3, 2]; it must have a batch axis, channels and space "
          "[instance_norm.rank]");
  t.error("channels", {in({2, 4, 3}), in({4}), in({3})}, "",
          "instance_norm: bias has shape [3], but x has 4 channels; it must have one number each "
          "[instance_norm.channels]");
}
