// A target of libFuzzer: the reader of the format that WEFT_FUZZ_FORMAT names.
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "tests/fuzz/formats.h"
#include "weft/base/error.h"

namespace {

const weft::fuzz::Format& format() {
  static const weft::fuzz::Format* const found = weft::fuzz::find_format(WEFT_FUZZ_FORMAT);
  return *found;
}

}  // namespace

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t most);

// Begins anew with a file that reads now and then, and puts checksums right half of the time: by
// chance few files would be past the first of them.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed) {
  static const std::vector<std::string> samples = format().samples();
  if (seed % 16 == 0) {
    const std::string& sample = samples[seed / 16 % samples.size()];
    size = std::min(sample.size(), most);
    std::memcpy(data, sample.data(), size);
  }
  size = LLVMFuzzerMutate(data, size, most);
  if (format().repair != nullptr && seed % 2 == 0) {
    std::string bytes(reinterpret_cast<const char*>(data), size);
    format().repair(bytes);
    size = std::min(bytes.size(), most);
    std::memcpy(data, bytes.data(), size);
  }
  return size;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    format().read(std::as_bytes(std::span(data, size)));
  } catch (const weft::Error& error) {
    if (error.code == weft::Code::kInternal) __builtin_trap();
  }
  return 0;
}
