// Telling values in an arena from others, and copying them out.
#include "weft/core/arena_memory.h"

#include "weft/core/native.h"

namespace weft {

bool is_in_arena(const Tensor& tensor) {
  if (!tensor.is_concrete()) return false;
  const TensorNode* const owner = static_cast<const Concrete*>(tensor.node())->owner;
  return owner != nullptr && owner->kind == NodeKind::kBuffer &&
         (owner->state.load_acquire() & kArenaMemory) != 0;
}

Tensor copied_out_of_arena(const Tensor& tensor) {
  if (!is_in_arena(tensor)) return tensor;
  const Tensor out = Tensor::empty(tensor.dtype(), tensor.shape());
  native::copy(out, tensor);
  return out;
}

}  // namespace weft
