// Samples of full.
#include "weft/ops/creation/fill_reference.h"

using namespace weft::suite;

WEFT_OP_TEST(full) {
  t.sample({in({})}, "shape=[2, 3]");
  t.sample({in({})}, "shape=[]");
  t.sample({in({})}, "shape=[0]");
  t.large({in({})}, "shape=[300, 301]");
  t.reference([](const Attrs& at, const Arrays& in) -> Arrays {
    Array out = filled(in[0].dtype, at.get<weft::Shape>("shape"), 0);
    out.values.assign(out.values.size(), in[0].values[0]);
    return {out};
  });
  t.error("negative", {in({})}, "shape=[-1]",
          "full: shape [-1] has a negative size; sizes are at least 0 [full.negative]");
  t.error("value", {in({2})}, "shape=[2]",
          "full: value has shape [2]; it must have rank 0 [full.value]");
}
