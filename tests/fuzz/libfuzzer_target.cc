// A target of libFuzzer: the reader of the format that WEFT_FUZZ_FORMAT names.
#include <cstdint>

#include "tests/fuzz/formats.h"
#include "weft/base/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const weft::fuzz::Format* const format = weft::fuzz::find_format(WEFT_FUZZ_FORMAT);
  try {
    format->read(std::as_bytes(std::span(data, size)));
  } catch (const weft::Error& error) {
    if (error.code == weft::Code::kInternal) __builtin_trap();
  }
  return 0;
}
