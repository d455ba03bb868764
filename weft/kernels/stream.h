// copy_run: copies of contiguous bytes, past the caches where that is wanted.
#pragma once

#include <cstdint>
#include <span>

#include "weft/base/sizes.h"

namespace weft::kernels {

// Above this many bytes written by one operation the result does not stay in the caches: stores
// that bypass them, whole lines at a time, spare reading every line before it is overwritten.
inline constexpr int64_t kBypassBytes = int64_t{16} << 20;

// As memcpy; with `bypass` by stores that do not allocate lines. finish_bypass() before other
// threads read what was written.
void copy_run(char* to, const char* from, int64_t bytes, bool bypass = false);
void finish_bypass();

// Bytes that will be read next; they may lie anywhere.
struct Ahead {
  const char* data;
  int64_t bytes;
};

// copy_run that asks for what comes next as it goes.
void copy_out(char* to, const char* from, int64_t bytes, std::span<const Ahead> ahead,
              bool bypass = true);

}  // namespace weft::kernels
