// What grad_check says: its report as text, and as an error.
#include <algorithm>

#include "weft/base/fail_at.h"
#include "weft/transform/grad_check.h"

namespace weft {

void require_passed(const GradCheckReport& report, Where where) {
  if (report.passed()) return;
  fail_at(where, Code::kInvalid, "grad_check", "mismatch", report.summary());
}

void append_text(std::string& out, const GradCheckEntry& entry) {
  out += text("order ", entry.order, ", ", entry.what, ", ", entry.argument, ", direction ",
              entry.direction, ": ", entry.at, " is ", entry.got, " where ", entry.expected,
              " is expected (relative error ", entry.error, ", at most ", entry.tolerance, ")");
  if (!entry.note.empty()) out += text("; ", entry.note);
}

size_t GradCheckReport::failures() const {
  return static_cast<size_t>(std::count_if(entries.begin(), entries.end(),
                                           [](const auto& entry) { return !entry.passed; }));
}

std::string GradCheckReport::summary() const {
  if (passed()) return text("all ", entries.size(), " checks passed");
  constexpr size_t kShown = 8;  // the first orders tell most
  std::string out = text(failures(), " of ", entries.size(), " checks failed");
  size_t shown = 0;
  for (const GradCheckEntry& entry : entries) {
    if (entry.passed) continue;
    if (shown++ == kShown) break;
    out += text("\n  ", entry);
  }
  if (failures() > kShown) out += text("\n  and ", failures() - kShown, " more");
  std::string list;
  for (size_t i = 0; i < ops.size() && i < 40; ++i) list += text(i == 0 ? "" : ", ", ops[i]);
  if (ops.size() > 40) list += text(", and ", ops.size() - 40, " more");
  if (!ops.empty()) out += text("\n  the function's ops: ", list);
  return out;
}

void detail::add_leaf_names(std::vector<std::string>& names, size_t argument, size_t leaves) {
  for (size_t i = 0; i < leaves; ++i) {
    names.push_back(leaves == 1 ? text("argument ", argument)
                                : text("argument ", argument, ", leaf ", i));
  }
}

}  // namespace weft
