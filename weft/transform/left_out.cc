// Notes of the sweep that runs on this thread. A sweep inside of another clears those of the other:
// the error is then only less precise.
#include "weft/transform/left_out.h"

#include <utility>

namespace weft {
namespace {

thread_local std::string last_note;

}  // namespace

void LeftOut::clear() { last_note.clear(); }
void LeftOut::note(std::string what) { last_note = std::move(what); }
const std::string& LeftOut::last() { return last_note; }

}  // namespace weft
