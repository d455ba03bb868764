// The text of a user's line.
#include "weft/base/where.h"

#include <atomic>

namespace weft {
namespace {
std::atomic<ResolveLine> resolve_foreign{nullptr};
}

void set_foreign_lines(ResolveLine resolve) { resolve_foreign.store(resolve); }

std::string to_string(Where where) {
  if (!where.known()) return "unknown line";
  if ((where.line & kForeignLine) == 0) {
    return std::string(where.file) + ":" + std::to_string(where.line);
  }
  const ResolveLine resolve = resolve_foreign.load();
  return resolve != nullptr ? resolve(where) : "unknown line";
}

}  // namespace weft
