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

namespace {

struct AddressRange {
  const char* begin;
  const char* end;
};

AddressRange addresses_of(const Tensor& tensor) {
  const auto& node = *static_cast<const Concrete*>(tensor.node());
  if (node.numel == 0) return {node.data, node.data};
  int64_t lowest = 0, highest = 1;
  for (size_t axis = 0; axis < node.rank; ++axis) {
    const int64_t reach = (node.dims[axis].value() - 1) * node.strides[axis];
    (reach < 0 ? lowest : highest) += reach;
  }
  const int64_t item = size_of(node.dtype);
  return {node.data + lowest * item, node.data + highest * item};
}

}  // namespace

bool overlap(const Tensor& a, const Tensor& b) {
  const AddressRange x = addresses_of(a), y = addresses_of(b);
  return x.begin < y.end && y.begin < x.end;
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
