// Row by row through buffers in L1, and from there past the caches.
#include "weft/kernels/streamed.h"

#include <algorithm>

#include "weft/kernels/stream.h"

namespace weft::kernels {
namespace {

int64_t padded(int64_t bytes) { return (bytes + 63) / 64 * 64; }

}  // namespace

bool StreamedRows::fits() const {
  int64_t bytes = 0;
  for (int k = 0; k < outputs; ++k) {
    if (!(in_place >> k & 1)) bytes += padded(length * item[k]);
  }
  return bytes <= kBufferBytes;
}

void StreamedRows::run(int64_t begin, int64_t end) const {
  alignas(64) char buffers[kBufferBytes];
  constexpr int64_t kNoStrides[kMaxOperands] = {};
  for (int64_t r = begin; r < end; ++r) {
    const int64_t n = std::min(length, count - r * length);
    void* here[kMaxOperands];
    Ahead ahead[kMaxOperands];
    size_t reads = 0;
    char* buffer = buffers;
    for (int k = 0; k < operands; ++k) {
      char* const at = static_cast<char*>(p[k]) + r * step[k];
      here[k] = at;
      if (k < outputs && !(in_place >> k & 1)) {
        here[k] = buffer;
        buffer += padded(length * item[k]);
      } else if (k >= outputs && step[k] != 0 && item[k] != 0) {
        ahead[reads++] = {at + step[k], n * item[k]};
      }
    }
    kernel(here, kNoStrides, n, 1, static_cast<uint64_t>(r * length));
    for (int k = 0; k < outputs; ++k) {
      if (in_place >> k & 1) continue;
      copy_out(static_cast<char*>(p[k]) + r * step[k], static_cast<const char*>(here[k]),
               n * item[k], {ahead, reads});
      reads = 0;
    }
  }
  finish_bypass();
}

}  // namespace weft::kernels
