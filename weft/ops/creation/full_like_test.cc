// Samples of full_like.
#include "weft/ops/creation/fill_reference.h"

using namespace weft::suite;

WEFT_OP_TEST(full_like) {
  t.sample({in({2, 3}), exactly({}, {1}, weft::DType::kF32)});
  t.sample({in({}), exactly({}, {1}, weft::DType::kF32)}, "dtype=int32");
  t.sample({in({0, 3}), exactly({}, {1}, weft::DType::kF32)}, "dtype=complex64");
  t.reference([](const Attrs& at, const Arrays& in) -> Arrays {
    const auto dtype = at.get<std::optional<DType>>("dtype").value_or(in[0].dtype);
    return {filled(dtype, weft::Shape(in[0].shape.begin(), in[0].shape.end()), 1)};
  });
  t.error("value", {in({2}), in({2})}, "",
          "full_like: value has shape [2]; it must have rank 0 [full_like.value]");
}
