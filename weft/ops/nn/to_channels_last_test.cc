// Samples of nn.to_channels_last.
#include "tests/op_suite/samples.h"

using namespace weft::suite;

WEFT_OP_TEST(nn__to_channels_last) {
  t.sample({in({2, 3, 4, 5})});
  t.sample({in({2, 3, 3})});
  t.sample({in({2, 0, 3, 3})});
  t.large({in({4, 30, 31, 32})});
  t.reference([](const Attrs&, const Arrays& in) { return Arrays{in[0]}; });
  t.error("rank", {in({3, 4})}, "",
          "to_channels_last: x has shape [3, 4]; it needs the axes of examples, channels and space "
          "[to_channels_last.rank]");
}
