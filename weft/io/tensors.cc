// Bytes of tensors, and tensors of bytes.
#include "weft/io/tensors.h"

#include <optional>
#include <set>

#include "weft/base/error.h"
#include "weft/core/literal.h"
#include "weft/io/json/json.h"
#include "weft/op/concrete_value.h"

namespace weft::io {

RowMajor::RowMajor(const Tensor& tensor) : held_(tensor) {
  if (tensor.is_contiguous()) {
    bytes_ = {static_cast<const std::byte*>(tensor.data()),
              static_cast<size_t>(tensor.numel() * size_of(tensor.dtype()))};
  } else {
    copy_ = bytes_of(tensor);
    bytes_ = copy_;
  }
}

void require_writable(const NamedTensors& tensors, std::string_view who) {
  std::set<std::string_view> seen;
  for (const auto& [name, value] : tensors) {
    if (!is_utf8(name)) {
      fail(Code::kInvalid, who, "names", "a name is not UTF-8; names of tensors are texts");
    }
    if (!seen.insert(name).second) {
      fail(Code::kInvalid, who, "names", "the name '", name,
           "' comes twice; every tensor of a file has a name of its own");
    }
    if (!value.defined()) {
      fail(Code::kInvalid, who, "value", "'", name, "' is undefined; give it a value first");
    }
    concrete_value(value, {who, text("'", name, "'"), "save it where it has a value", true});
  }
}

void make_flags(std::span<std::byte> flags) {
  for (std::byte& flag : flags) flag = std::byte{flag != std::byte{0}};
}

Tensor read_tensor(const ByteSource& source, uint64_t at, DType dtype, ShapeView shape) {
  return filled_tensor(dtype, shape, [&](std::span<std::byte> to) {
    source.read(at, to);
    if (dtype == DType::kBool) make_flags(to);
  });
}

std::optional<uint64_t> byte_count(DType dtype, std::span<const int64_t> sizes) {
  int64_t out = size_of(dtype);
  for (const int64_t size : sizes) {
    if (size < 0 || __builtin_mul_overflow(out, size, &out)) return std::nullopt;
  }
  return static_cast<uint64_t>(out);
}

Shape shape_of(std::span<const int64_t> sizes) { return Shape(sizes.begin(), sizes.end()); }

}  // namespace weft::io
