// Drawing the parameters of layers.
#include "weft/nn/layer.h"

#include <algorithm>

#include "weft/base/error.h"

namespace weft::nn::detail {

Pending begun(const std::string& who, const std::optional<random::Key>& key, DType dtype) {
  if (!is_floating(dtype)) {
    fail(Code::kType, who, "dtype", "dtype is ", dtype, "; parameters are floats, such as float32");
  }
  return {key ? *key : random::drawn_now(), dtype};
}

void draw(const std::string& who, Pending& pending, std::span<const Wanted> wanted) {
  for (const Wanted& one : wanted) {
    if (!one.shape || std::ranges::none_of(*one.shape, [](Dim d) { return d.value() < 0; }))
      continue;
    fail(Code::kInvalid, who, "size", one.name, " would be ", *one.shape, "; sizes are at least 0");
  }
  const random::Key keys = pending.key->split(static_cast<int64_t>(wanted.size()));
  for (size_t k = 0; k < wanted.size(); ++k) {
    const Wanted& one = wanted[k];
    if (!one.shape) continue;
    const Tensor value = one.initializer(keys[static_cast<int64_t>(k)], *one.shape, pending.dtype);
    *one.place = Variable(value, {.name = one.name});
  }
  pending.key.reset();
}

}  // namespace weft::nn::detail
