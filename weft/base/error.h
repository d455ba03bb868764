// Error: the one exception type. Its text reads `who: what is wrong; what would be right [op.law]`.
#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/text.h"

namespace weft {

// What kind of mistake it is; in Python each maps to a subclass of the natural built-in.
enum class Code : uint8_t {
  kInvalid,      // ValueError: a value that makes no sense here
  kType,         // TypeError: a wrong dtype or a wrong kind of argument
  kIndex,        // IndexError: an axis or index out of range
  kOverflow,     // OverflowError: a size that does not fit
  kOutOfMemory,  // MemoryError
  kMissing,      // NotImplementedError: a rule or kernel that does not exist
  kIo,           // OSError
  kInterrupted,  // KeyboardInterrupt
  kInternal,     // RuntimeError: a bug in Weft
};

std::string_view name_of(Code code);

class Error : public std::exception {
 public:
  // `op` is who speaks (an op, or a function such as "tensor"); `law` is its label, or empty.
  Error(Code code, std::string op, std::string law, std::string message);

  Code code;
  std::string op;
  std::string law;
  std::string message;             // what is wrong; what would be right
  std::vector<std::string> notes;  // further lines: where the op was called, what led there

  // Returns the error itself, for `throw error.note("...")`.
  Error& note(std::string line);

  // The whole text: `op: message [op.law]`, then the notes, a line each.
  const char* what() const noexcept override { return whole_.c_str(); }

 private:
  void compose();
  std::string whole_;
};

// Throws an Error whose message is the pieces joined.
template <class... Pieces>
[[noreturn]] void fail(Code code, std::string_view op, std::string_view law,
                       const Pieces&... pieces) {
  throw Error(code, std::string(op), std::string(law), text(pieces...));
}

[[noreturn]] void fail_assertion(const char* condition, const char* file, int line,
                                 std::string values);

}  // namespace weft

// For internal impossibilities: throws an internal Error with the values, never aborts.
#define WEFT_ASSERT(condition, ...)                                                      \
  do {                                                                                   \
    if (!(condition)) [[unlikely]]                                                       \
      ::weft::fail_assertion(#condition, __FILE__, __LINE__, ::weft::text(__VA_ARGS__)); \
  } while (false)
