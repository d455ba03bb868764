// Rows of tensors as bytes.
#include "weft/data/rows.h"

#include <cstring>

#include "weft/kernels/copy.h"

namespace weft::data {
namespace {

// Rows of a size that the compiler knows are moved without a call.
template <class Row>
void gather_as(void* out, const void* rows, std::span<const int64_t> indices) {
  auto* to = static_cast<Row*>(out);
  const auto* const from = static_cast<const Row*>(rows);
  for (const int64_t i : indices) *to++ = from[i];
}

void gather_bytes(std::byte* to, const std::byte* rows, std::span<const int64_t> indices,
                  size_t bytes) {
  constexpr size_t kAhead = 4;  // rows lie anywhere: their first lines are asked for early
  for (size_t k = 0; k < indices.size(); ++k) {
    if (k + kAhead < indices.size()) {
      __builtin_prefetch(rows + static_cast<size_t>(indices[k + kAhead]) * bytes);
    }
    std::memcpy(to, rows + static_cast<size_t>(indices[k]) * bytes, bytes);
    to += bytes;
  }
}

}  // namespace

Tensor contiguous(const Tensor& tensor) {
  if (tensor.is_contiguous()) return tensor;
  Tensor out = Tensor::empty(tensor.dtype(), tensor.shape());
  kernels::copy(kernels::operand_of(out), kernels::operand_of(tensor));
  return out;
}

void copy_to(void* to, const Tensor& from) {
  const Tensor t = contiguous(from);
  std::memcpy(to, t.data(), static_cast<size_t>(t.numel() * size_of(t.dtype())));
}

Tensor gathered(const Tensor& rows, std::span<const int64_t> indices) {
  Shape shape(rows.shape());
  shape[0] = static_cast<int64_t>(indices.size());
  Tensor out = Tensor::empty(rows.dtype(), shape);
  if (indices.empty()) return out;
  const int64_t per_row = rows.numel() / rows.dim(0).value() * size_of(rows.dtype());
  switch (per_row) {
    case 1: gather_as<uint8_t>(out.writable_data(), rows.data(), indices); break;
    case 2: gather_as<uint16_t>(out.writable_data(), rows.data(), indices); break;
    case 4: gather_as<uint32_t>(out.writable_data(), rows.data(), indices); break;
    case 8: gather_as<uint64_t>(out.writable_data(), rows.data(), indices); break;
    default:
      gather_bytes(static_cast<std::byte*>(out.writable_data()),
                   static_cast<const std::byte*>(rows.data()), indices,
                   static_cast<size_t>(per_row));
  }
  return out;
}

}  // namespace weft::data
