// Rows of tensors as bytes.
#include "weft/data/rows.h"

#include <algorithm>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "weft/kernels/copy.h"

namespace weft::data {
namespace {

// Rows of a size that the compiler knows are moved without a call.
template <class Row>
void gather_as(std::byte* to, const std::byte* rows, std::span<const int64_t> indices,
               int64_t stride) {
  for (const int64_t i : indices) {
    std::memcpy(to, rows + i * stride, sizeof(Row));
    to += sizeof(Row);
  }
}

template <class Copy>
void gather_by(Copy copy, std::byte* to, const std::byte* rows, std::span<const int64_t> indices,
               int64_t stride, size_t bytes) {
  constexpr size_t kAhead = 4;  // rows lie anywhere: their first lines are asked for early
  for (size_t k = 0; k < indices.size(); ++k) {
    if (k + kAhead < indices.size()) __builtin_prefetch(rows + indices[k + kAhead] * stride);
    copy(to, rows + indices[k] * stride, bytes);
    to += bytes;
  }
}

// Batches take turns in memory that the threads of a step have just read: to write there is to take
// every line from the caches of other cores, one after the other, which takes three times as long
// as the rows themselves. Stores past the caches do not wait for that.
constexpr size_t kPastCaches = size_t{1} << 15;

#if defined(__SSE2__)
void copy_past_caches(std::byte* to, const std::byte* from, size_t bytes) {
  constexpr size_t kLine = 16;
  const size_t head = std::min(bytes, (kLine - reinterpret_cast<uintptr_t>(to) % kLine) % kLine);
  std::memcpy(to, from, head);
  size_t at = head;
  for (; at + kLine <= bytes; at += kLine) {
    const __m128i piece = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + at));
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + at), piece);
  }
  std::memcpy(to + at, from + at, bytes - at);
}
#endif

void gather_bytes(std::byte* to, const std::byte* rows, std::span<const int64_t> indices,
                  int64_t stride, size_t bytes) {
#if defined(__SSE2__)
  if (bytes >= 256 && bytes * indices.size() >= kPastCaches) {
    gather_by(copy_past_caches, to, rows, indices, stride, bytes);
    _mm_sfence();
    return;
  }
#endif
  gather_by([](void* out, const void* row, size_t count) { std::memcpy(out, row, count); }, to,
            rows, indices, stride, bytes);
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

bool has_whole_rows(const Tensor& tensor) {
  if (tensor.rank() == 0) return false;
  int64_t inside = 1;
  for (size_t axis = tensor.shape().size(); --axis > 0;) {
    const int64_t extent = tensor.shape()[axis].value();
    if (extent != 1 && tensor.strides()[axis] != inside) return false;
    inside *= extent;
  }
  return true;
}

Tensor gathered(const Tensor& rows, std::span<const int64_t> indices) {
  Shape shape(rows.shape());
  shape[0] = static_cast<int64_t>(indices.size());
  Tensor out = Tensor::empty(rows.dtype(), shape);
  if (indices.empty() || out.numel() == 0) return out;
  const int64_t size = size_of(rows.dtype()), stride = rows.strides()[0] * size;
  const int64_t per_row = rows.numel() / rows.dim(0).value() * size;
  auto* const to = static_cast<std::byte*>(out.writable_data());
  const auto* const from = static_cast<const std::byte*>(rows.data());
  switch (per_row) {
    case 1: gather_as<uint8_t>(to, from, indices, stride); break;
    case 2: gather_as<uint16_t>(to, from, indices, stride); break;
    case 4: gather_as<uint32_t>(to, from, indices, stride); break;
    case 8: gather_as<uint64_t>(to, from, indices, stride); break;
    default: gather_bytes(to, from, indices, stride, static_cast<size_t>(per_row));
  }
  return out;
}

}  // namespace weft::data
