// Error's text, and failed assertions.
#include "weft/base/error.h"

namespace weft {

std::string_view name_of(Code code) {
  switch (code) {
    case Code::kInvalid: return "invalid";
    case Code::kType: return "type";
    case Code::kIndex: return "index";
    case Code::kOverflow: return "overflow";
    case Code::kOutOfMemory: return "out of memory";
    case Code::kMissing: return "missing";
    case Code::kIo: return "io";
    case Code::kInterrupted: return "interrupted";
    case Code::kInternal: return "internal";
  }
  return "unknown";
}

Error::Error(Code code, std::string op, std::string law, std::string message)
    : code(code), op(std::move(op)), law(std::move(law)), message(std::move(message)) {
  compose();
}

Error& Error::note(std::string line) {
  notes.push_back(std::move(line));
  compose();
  return *this;
}

void Error::compose() {
  whole_ = op.empty() ? message : text(op, ": ", message);
  if (!law.empty()) whole_ += text(" [", op, ".", law, "]");
  for (const std::string& line : notes) whole_ += text("\n  ", line);
}

void fail_assertion(const char* condition, const char* file, int line, std::string values) {
  Error error(Code::kInternal, "weft", "",
              text("internal error: ", condition, " does not hold", values.empty() ? "" : ": ",
                   values, "; this is a bug in Weft"));
  throw error.note(text("at ", file, ":", line));
}

}  // namespace weft
