// Which argument of a call has changed.
#include "weft/runtime/statics.h"

namespace weft::detail {
namespace {

// Takes the first line away.
std::string_view next_line(std::string_view& lines) {
  const size_t end = std::min(lines.find('\n'), lines.size());
  const std::string_view line = lines.substr(0, end);
  lines.remove_prefix(std::min(end + 1, lines.size()));
  return line;
}

}  // namespace

std::string changed_argument(std::string_view before, std::string_view now) {
  for (size_t i = 0; !before.empty() && !now.empty(); ++i) {
    const std::string_view was = next_line(before), is = next_line(now);
    if (was != is) return text("argument ", i, " was ", was, " and is ", is);
  }
  return "the number of arguments has changed";
}

}  // namespace weft::detail
