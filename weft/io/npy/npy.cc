// Arrays in NumPy's format.
#include "weft/io/npy/npy.h"

#include <algorithm>

#include "weft/base/error.h"
#include "weft/io/npy/header.h"

namespace weft::io {
namespace {

// Elements of the other order of bytes, turned round; the halves of a complex number each.
void swap_bytes(std::span<std::byte> bytes, DType dtype) {
  const auto item = static_cast<size_t>(size_of(real_of(dtype)));
  for (size_t at = 0; at < bytes.size(); at += item) {
    std::reverse(bytes.begin() + static_cast<ptrdiff_t>(at),
                 bytes.begin() + static_cast<ptrdiff_t>(at + item));
  }
}

// The tensor with its axes the other way round.
Tensor reversed_axes(const Tensor& t) {
  Shape shape(t.shape().begin(), t.shape().end());
  Ints strides(t.strides().begin(), t.strides().end());
  std::reverse(shape.begin(), shape.end());
  std::reverse(strides.begin(), strides.end());
  return t.view(shape, strides);
}

}  // namespace

void make_native(std::span<std::byte> bytes, const NpyHeader& header) {
  if (header.is_swapped) swap_bytes(bytes, header.dtype);
  if (header.dtype == DType::kBool) make_flags(bytes);
}

std::string npy_header(const Tensor& tensor, std::string_view name, std::string_view who) {
  const DType dtype = tensor.dtype();
  if (npy_name(dtype).empty()) {
    fail(Code::kType, who, "dtype", "'", name, "' is ", dtype,
         ", which NumPy has no name for; cast it to float32, or save a safetensors file");
  }
  std::string header = text("{'descr': '", size_of(dtype) == 1 ? '|' : '<', npy_name(dtype),
                            "', 'fortran_order': False, 'shape': (");
  for (int64_t axis = 0; axis < tensor.rank(); ++axis) {
    header += text(axis == 0 ? "" : ", ", tensor.dim(axis).value());
  }
  header += tensor.rank() == 1 ? ",), }" : "), }";
  // The bytes behind it are aligned to 64, the lines of caches.
  const size_t before = 10;
  header.resize((before + header.size() + 1 + 63) / 64 * 64 - before - 1, ' ');
  header += '\n';
  std::string out("\x93NUMPY\x01\x00", 8);
  out += static_cast<char>(header.size() & 255);
  out += static_cast<char>(header.size() >> 8);
  return out + header;
}

void write_npy(ByteSink& to, const Tensor& tensor, std::string_view who) {
  require_writable({{"tensor", tensor}}, who);
  to.write(npy_header(tensor, "tensor", who));
  to.write(RowMajor(tensor).bytes());
}

Tensor read_npy(ByteStream& from, std::string_view who) {
  NpyHeader header = read_npy_header(from, who);
  if (header.is_fortran) std::reverse(header.sizes.begin(), header.sizes.end());
  const Tensor out =
      filled_tensor(header.dtype, shape_of(header.sizes), [&](std::span<std::byte> to) {
        from.read(to);
        make_native(to, header);
      });
  return header.is_fortran ? reversed_axes(out) : out;
}

Tensor read_npy(const ByteSource& source, std::string_view who) {
  SourceStream stream(source);
  return read_npy(stream, who);
}

}  // namespace weft::io
