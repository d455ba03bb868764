// Samples of empty_like.
#include "weft/ops/creation/fill_reference.h"

using namespace weft::suite;

WEFT_OP_TEST(empty_like) {
  t.sample({in({2, 3})});
  t.sample({in({})}, "dtype=int32");
  t.sample({in({0, 3})}, "dtype=complex64");
  t.large({in({300, 301})});
  t.reference([](const Attrs& at, const Arrays& in) -> Arrays {
    const auto dtype = at.get<std::optional<DType>>("dtype").value_or(in[0].dtype);
    return {filled(dtype, weft::Shape(in[0].shape.begin(), in[0].shape.end()), 0)};
  });
}
