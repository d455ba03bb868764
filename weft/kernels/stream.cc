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

void copy_past_caches(char* to, const char* from, int64_t bytes, std::span<const Ahead> ahead) {
  const int64_t head = std::min(bytes, static_cast<int64_t>(-reinterpret_cast<uintptr_t>(to) & 15));
  std::memcpy(to, from, static_cast<size_t>(head));
  int64_t i = head;
  const auto load = [&](int64_t at) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + at));
  };
  const auto store = [&](int64_t at, __m128i value) {
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + at), value);
  };
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
    const __m128i a = load(i), b = load(i + 16), c = load(i + 32), d = load(i + 48);
    store(i, a);
    store(i + 16, b);
    store(i + 32, c);
    store(i + 48, d);
  }
  for (; i + 16 <= bytes; i += 16) store(i, load(i));
  std::memcpy(to + i, from + i, static_cast<size_t>(bytes - i));
}

}  // namespace

void copy_run(char* to, const char* from, int64_t bytes, bool bypass) {
  if (bypass) return copy_past_caches(to, from, bytes, {});
  std::memcpy(to, from, static_cast<size_t>(bytes));
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
