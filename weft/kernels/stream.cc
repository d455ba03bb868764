// Contiguous copies by vectors of 16 bytes.
#include "weft/kernels/stream.h"

#include <algorithm>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace weft::kernels {

#if defined(__SSE2__)

namespace {

void copy_past_caches(char* to, const char* from, int64_t bytes) {
  const int64_t head = std::min(bytes, static_cast<int64_t>(-reinterpret_cast<uintptr_t>(to) & 15));
  std::memcpy(to, from, static_cast<size_t>(head));
  int64_t i = head;
  const auto load = [&](int64_t at) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + at));
  };
  const auto store = [&](int64_t at, __m128i value) {
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + at), value);
  };
  for (; i + 64 <= bytes; i += 64) {
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
  if (bypass) return copy_past_caches(to, from, bytes);
  std::memcpy(to, from, static_cast<size_t>(bytes));
}

void finish_bypass() { _mm_sfence(); }

#else

void copy_run(char* to, const char* from, int64_t bytes, bool) {
  std::memcpy(to, from, static_cast<size_t>(bytes));
}

void finish_bypass() {}

#endif

}  // namespace weft::kernels
