// Samples of group_norm.
#include "weft/ops/norm/channel_reference.h"

using namespace weft::suite;

namespace {

Arrays reference(const Attrs& at, const Arrays& in) {
  return {grouped_reference(in, at.get<int64_t>("num_groups"), at.get<double>("eps"))};
}

}  // namespace

WEFT_OP_TEST(nn__group_norm) {
  t.skip("zero", "a group with an infinity or NaN is NaN, and so is its gradient");
  t.sample({in({2, 4, 3}), in({4}), in({4})}, "num_groups=2");
  t.sample({in({2, 4, 2, 2}), in({4})}, "num_groups=1, eps=0.1");
  t.sample({in({3, 4})}, "num_groups=2, eps=0.5");
  t.large({in({4, 40, 16}), in({40}), in({40})}, "num_groups=8");
  t.reference(reference);
  t.tolerance(4, "scaled and shifted after rows were rounded to f16 or bf16");
  t.error("rank", {in({3})}, "num_groups=1",
          "group_norm: x has shape [3]; it must have a batch axis and channels "
          "[group_norm.rank]");
  t.error("groups", {in({2, 4, 3})}, "num_groups=3",
          "group_norm: x has 4 channels, which do not divide into 3 groups; their number must be a "
          "multiple [group_norm.groups]");
  t.error("channels", {in({2, 4, 3}), in({3})}, "num_groups=2",
          "group_norm: weight has shape [3], but x has 4 channels; it must have one number each "
          "[group_norm.channels]");
}
