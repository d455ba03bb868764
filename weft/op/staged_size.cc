// Sizes as tensors, found by whoever stages.
#include "weft/op/staged_size.h"

#include <atomic>

namespace weft {
namespace {
constinit std::atomic<std::optional<Dim> (*)(const Tensor&)> staged{nullptr};
}  // namespace

void set_staged_size(std::optional<Dim> (*find)(const Tensor& value)) { staged.store(find); }

std::optional<Dim> size_in(const Tensor& scalar) {
  if (scalar.rank() != 0 || kind_of(scalar.dtype()) != Kind::kInteger) return {};
  if (scalar.is_concrete()) return Dim(scalar.item_int());
  const auto find = staged.load();
  return find == nullptr ? std::nullopt : find(scalar);
}

}  // namespace weft
