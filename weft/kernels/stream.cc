// Contiguous copies by vectors of 16 bytes.
#include "weft/kernels/stream.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace weft::kernels {

#if defined(__SSE2__)

namespace {

constexpr size_t kMaxAhead = 4;

__m128i load(const char* from) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)); }
void store(char* to, __m128i value) { _mm_store_si128(reinterpret_cast<__m128i*>(to), value); }
void store_past_caches(char* to, __m128i value) {
  _mm_stream_si128(reinterpret_cast<__m128i*>(to), value);
}

void copy_past_caches(char* to, const char* from, int64_t bytes, std::span<const Ahead> ahead) {
  const int64_t head = std::min(bytes, static_cast<int64_t>(-reinterpret_cast<uintptr_t>(to) & 15));
  std::memcpy(to, from, static_cast<size_t>(head));
  int64_t i = head;
  Ahead next[kMaxAhead];
  int64_t per_line[kMaxAhead];
  const size_t reads = std::min(ahead.size(), std::size(next));
  for (size_t k = 0; k < reads; ++k) {
    next[k] = ahead[k];
    per_line[k] = std::max<int64_t>(1, ahead[k].bytes * 64 / bytes);
  }
  for (; i + 64 <= bytes; i += 64) {
    for (size_t k = 0; k < reads; ++k) {
      for (int64_t at = 0; at < per_line[k]; at += 64) _mm_prefetch(next[k].data + at, _MM_HINT_T0);
      next[k].data += per_line[k];
    }
    const __m128i a = load(from + i), b = load(from + i + 16);
    const __m128i c = load(from + i + 32), d = load(from + i + 48);
    store_past_caches(to + i, a);
    store_past_caches(to + i + 16, b);
    store_past_caches(to + i + 32, c);
    store_past_caches(to + i + 48, d);
  }
  for (; i + 16 <= bytes; i += 16) store_past_caches(to + i, load(from + i));
  std::memcpy(to + i, from + i, static_cast<size_t>(bytes - i));
}

template <class T>
void copy_as(char* to, const char* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  std::memcpy(to, &value, sizeof(T));
}

// The first and the last T; together all of sizeof(T) to 2 * sizeof(T) bytes.
template <class T>
void copy_ends(char* to, const char* from, int64_t bytes) {
  const int64_t last = bytes - static_cast<int64_t>(sizeof(T));
  copy_as<T>(to, from);
  copy_as<T>(to + last, from + last);
}

template <int kCount>
struct Vectors {
  __m128i part[kCount];
};
using Line = Vectors<4>;

// Not by memcpy: for long runs it may be one string instruction, which on some processors takes ten
// times as long where source and target lie alike in their pages, as rows of a power of two do.
void copy_by_lines(char* to, const char* from, int64_t bytes) {
  copy_as<__m128i>(to, from);
  int64_t i = static_cast<int64_t>(-reinterpret_cast<uintptr_t>(to) & 15);
  for (; i + 64 <= bytes; i += 64) {
    const __m128i a = load(from + i), b = load(from + i + 16);
    const __m128i c = load(from + i + 32), d = load(from + i + 48);
    store(to + i, a);
    store(to + i + 16, b);
    store(to + i + 32, c);
    store(to + i + 48, d);
  }
  copy_as<Line>(to + bytes - 64, from + bytes - 64);
}

}  // namespace

void copy_run(char* to, const char* from, int64_t bytes, bool bypass) {
  if (bypass) return copy_past_caches(to, from, bytes, {});
  if (bytes >= 64) return copy_by_lines(to, from, bytes);
  if (bytes >= 32) return copy_ends<Vectors<2>>(to, from, bytes);
  if (bytes >= 16) return copy_ends<__m128i>(to, from, bytes);
  if (bytes >= 8) return copy_ends<uint64_t>(to, from, bytes);
  if (bytes >= 4) return copy_ends<uint32_t>(to, from, bytes);
  for (int64_t i = 0; i < bytes; ++i) to[i] = from[i];
}

void finish_bypass() { _mm_sfence(); }

void copy_out(char* to, const char* from, int64_t bytes, std::span<const Ahead> ahead) {
  copy_past_caches(to, from, bytes, ahead);
}

#else

void copy_run(char* to, const char* from, int64_t bytes, bool) {
  std::memcpy(to, from, static_cast<size_t>(bytes));
}

void finish_bypass() {}

void copy_out(char* to, const char* from, int64_t bytes, std::span<const Ahead>) {
  std::memcpy(to, from, static_cast<size_t>(bytes));
}

#endif

}  // namespace weft::kernels
