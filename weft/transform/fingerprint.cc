// Hashes the values of tensors, tensor by tensor.
#include "weft/transform/fingerprint.h"

#include <bit>

#include "weft/base/error.h"
#include "weft/base/sha256.h"
#include "weft/op/levels.h"
#include "weft/op/observe.h"
#include "weft/op/record.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {

static_assert(std::endian::native == std::endian::little, "the bytes are hashed as they lie");

std::string fingerprint_flat(TensorSpan tensors) {
  const NoGrad no_grad;
  const Unobserved unobserved;
  Sha256 hash;
  for (const Tensor& given : tensors) {
    Tensor t = given;
    while (t.defined() && !t.is_concrete()) t = value_below(t);
    if (!t.defined()) {
      fail(Code::kInvalid, "fingerprint", "value",
           "a tensor has no value of its own here: it is undefined, or batched by vmap");
    }
    t = packed(t);  // one number seen from everywhere stays so under reshape
    const std::string type = text(t.dtype(), given.shape(), "\n");
    hash.add(type.data(), type.size());
    hash.add(t.data(), static_cast<size_t>(t.numel() * size_of(t.dtype())));
  }
  return hash.hex().substr(0, 32);
}

}  // namespace weft
