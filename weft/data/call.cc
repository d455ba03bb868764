// Calls of users' functions: errors get the place of the element that failed.
#include "weft/data/call.h"

namespace weft::data {
namespace {

std::atomic<ForeignError> foreign_error{nullptr};

}  // namespace

std::string place_of(const Node& node, const Element& element) {
  std::string out = text("element ", element.number, " of ", node.text());
  if (element.origin != nullptr) out += text(", from ", to_string(*element.origin));
  return out;
}

void set_foreign_error(ForeignError function) { foreign_error.store(function); }

void rethrow_at(const std::string& place) {
  try {
    throw;
  } catch (Error& error) {
    if (error.code != Code::kInterrupted) error.note(place);
    throw;
  } catch (...) {
    if (const ForeignError function = foreign_error.load()) function(place);
    throw;
  }
}

}  // namespace weft::data
