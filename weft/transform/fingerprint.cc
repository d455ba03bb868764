// Hashes the values of tensors, tensor by tensor.
#include "weft/transform/fingerprint.h"

#include <algorithm>
#include <bit>

#include "weft/base/sha256.h"
#include "weft/base/thread_pool.h"
#include "weft/op/concrete_value.h"
#include "weft/op/levels.h"
#include "weft/op/observe.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {

static_assert(std::endian::native == std::endian::little, "the bytes are hashed as they lie");

namespace {

void add_bytes(Sha256& hash, const char* data, int64_t bytes) {
  constexpr int64_t kPiece = int64_t{1} << 20;  // takes milliseconds
  for (int64_t at = 0; at < bytes; at += kPiece) {
    poll_interrupt();
    hash.add(data + at, static_cast<size_t>(std::min(kPiece, bytes - at)));
  }
}

}  // namespace

std::string fingerprint_flat(TensorSpan tensors) {
  const NoGrad no_grad;
  const Unobserved unobserved;
  Sha256 hash;
  for (const Tensor& given : tensors) {
    Tensor t = concrete_value(
        given, {"fingerprint", "a tensor", "take it of what the function returns", true});
    t = packed(t);  // one number seen from everywhere stays so under reshape
    const std::string type = text(t.dtype(), given.shape(), "\n");
    hash.add(type.data(), type.size());
    add_bytes(hash, static_cast<const char*>(t.data()), t.numel() * size_of(t.dtype()));
  }
  return hash.hex().substr(0, 32);
}

}  // namespace weft
