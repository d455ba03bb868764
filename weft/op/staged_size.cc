// Sizes as numbers, found and made by whoever stages.
#include "weft/op/staged_size.h"

#include <atomic>

#include "weft/base/error.h"

namespace weft {
namespace {
constinit std::atomic<const StagedSizes*> staged{nullptr};
}  // namespace

void set_staged_sizes(const StagedSizes& sizes) { staged.store(&sizes); }

std::optional<Dim> size_in(const Tensor& scalar) {
  if (scalar.rank() != 0 || kind_of(scalar.dtype()) != Kind::kInteger) return {};
  if (scalar.is_concrete()) return Dim(scalar.item_int());
  const StagedSizes* const sizes = staged.load();
  return sizes == nullptr ? std::nullopt : sizes->find(scalar);
}

Tensor size_as_tensor(Dim size, Where where) {
  const StagedSizes* const sizes = staged.load();
  return size.is_known() || sizes == nullptr ? Tensor(size.value()) : sizes->make(size, where);
}

std::optional<Tensor> number_of_call(const Tensor& scalar) {
  if (scalar.rank() != 0 || scalar.is_concrete()) return {};
  const StagedSizes* const sizes = staged.load();
  return sizes == nullptr ? std::nullopt : sizes->decide(scalar);
}

Dim only_size(const InferCtx& cx, std::string_view name, const Shape& given) {
  cx.require(given.size() == 1, "size", name, " has ", given.size(), " sizes: ", given,
             "; it must be one");
  cx.require(!given[0].is_known() || given[0].value() >= 0, "negative", name, " is ", given[0],
             "; it must be at least 0");
  return given[0];
}

Dim lesser(Dim a, Dim b) {
  const std::optional<int64_t> seen = hinted_value(a);
  if (seen && seen == hinted_value(b) && decide_same(a, b) == Tri::kYes) return a;
  switch (decide_less(a, b)) {
    case Tri::kYes: return a;
    case Tri::kNo: return b;
    case Tri::kUnknown: break;
  }
  return min(a, b);
}

}  // namespace weft
