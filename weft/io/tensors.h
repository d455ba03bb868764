// What the readers and writers of tensor files have in common.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "weft/base/bytes.h"
#include "weft/core/tensor.h"

namespace weft::io {

struct NamedTensor {
  std::string name;
  Tensor value;
};
using NamedTensors = std::vector<NamedTensor>;              // in the order of the file
using Names = std::optional<std::span<const std::string>>;  // of those that are wanted; none: all
using Metadata = std::map<std::string, std::string, std::less<>>;

// The elements in row-major order: the tensor's own memory where it lies so, else a copy.
class RowMajor {
 public:
  explicit RowMajor(const Tensor& tensor);
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  const Tensor held_;
  std::vector<std::byte> copy_;
  std::span<const std::byte> bytes_;
};

// Raises [who.names] unless every name is UTF-8 and comes once, [who.value] for what has no value.
void require_writable(const NamedTensors& tensors, std::string_view who);

// A tensor whose bytes lie at `at`. The caller has seen that the source has them.
Tensor read_tensor(const ByteSource& source, uint64_t at, DType dtype, ShapeView shape);
// The same of bytes that are written to the span by `fill`.
template <class Fill>
Tensor filled_tensor(DType dtype, ShapeView shape, Fill fill) {
  Tensor out = Tensor::empty(dtype, shape);
  fill(std::span(static_cast<std::byte*>(out.writable_data()),
                 static_cast<size_t>(out.numel() * size_of(dtype))));
  return out;
}
// Flags that were not 0 or 1 in a file become 1: kernels count on it.
void make_flags(std::span<std::byte> flags);

// The bytes that a dtype and sizes take; nothing if a size is negative or they are too many.
std::optional<uint64_t> byte_count(DType dtype, std::span<const int64_t> sizes);
Shape shape_of(std::span<const int64_t> sizes);

}  // namespace weft::io
