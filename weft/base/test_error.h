// What a call raises, for tests that compare whole messages.
#pragma once

#include <string>

#include "weft/base/error.h"

namespace weft {

// The first line of the error, "op: what is wrong; what would be right [op.law]"; notes follow it.
template <class F>
std::string error_of(const F& f) {
  try {
    f();
  } catch (const Error& error) {
    const std::string whole = error.what();
    return whole.substr(0, whole.find('\n'));
  }
  return "no error";
}

}  // namespace weft
