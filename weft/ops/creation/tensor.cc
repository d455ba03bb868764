// tensor: values of the language as a Tensor.
#include "weft/ops/creation/tensor.h"

#include "weft/op/builtin.h"

namespace weft::detail {

Tensor convert_elements(DType from, const void* data, const Shape& shape, DType to) {
  const auto bytes = static_cast<size_t>(num_elements(shape).value() * size_of(from));
  const Tensor exact =
      Tensor::from_bytes(from, shape, {static_cast<const std::byte*>(data), bytes});
  return cast(exact, to);
}

void check_count(size_t values, const Shape& shape) {
  for (Dim dim : shape) {
    if (dim.value() < 0) {
      fail(Code::kInvalid, "tensor", "negative", "shape ", shape,
           " has a negative size; sizes are at least 0");
    }
  }
  if (num_elements(shape).value() != static_cast<int64_t>(values)) {
    fail(Code::kInvalid, "tensor", "count", "there are ", values, " values for shape ", shape,
         " with ", num_elements(shape), " elements; the counts must be equal");
  }
}

}  // namespace weft::detail
