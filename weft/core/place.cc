// Giving places away, and copies for those who stay.
#include "weft/core/place.h"

#include <algorithm>

#include "weft/core/native.h"

namespace weft {

WEFT_THREAD_LOCAL Places* places = nullptr;
WEFT_THREAD_LOCAL bool copies_nothing = false;

Tensor take_place(DType dtype, ShapeView shape) {
  for (size_t i = 0; i < places->nodes.size(); ++i) {
    TensorNode* const node = places->nodes[i];
    if (node == nullptr || (places->taken >> i & 1) != 0) continue;
    if (node->dtype != dtype || !std::ranges::equal(ShapeView(node->dims, node->rank), shape)) {
      continue;
    }
    places->taken |= 1u << i;
    retain(node);
    return Tensor::adopt(node);
  }
  return {};
}

bool is_passing(const Tensor& tensor) {
  if (!tensor.is_concrete()) return false;
  const TensorNode* const owner = static_cast<const Concrete*>(tensor.node())->owner;
  return owner != nullptr && owner->kind == NodeKind::kBuffer &&
         (owner->state.load_acquire() & kPassing) != 0;
}

Tensor lasting(const Tensor& tensor) {
  if (!is_passing(tensor)) return tensor;
  const PlacesAre none(nullptr);
  const Tensor out = Tensor::empty(tensor.dtype(), tensor.shape());
  native::copy(out, tensor);
  return out;
}

}  // namespace weft
