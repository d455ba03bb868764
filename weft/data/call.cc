// Calls of users' functions: errors get the place of the element that failed.
#include "weft/data/call.h"

namespace weft::data {
namespace {

std::atomic<ForeignError> foreign_error{nullptr};
std::atomic<IsError> is_error_of_language{nullptr};

// Counts the steps with functions from the end of a pipeline up to one of them: others, such as a
// prefetch, can come and go.
bool count_to(const Node& wanted, const Node& node, uint64_t& count) {
  if (&node == &wanted) return true;
  count += node.has_function() ? 1 : 0;
  for (const Node::Ptr& input : node.inputs()) {
    if (count_to(wanted, *input, count)) return true;
  }
  return false;
}

}  // namespace

Draws::Draws(const Node& node, const Context& cx) : seed_(folded(cx.seed, cx.epoch)) {
  uint64_t place = 0;
  if (cx.root != nullptr) count_to(node, *cx.root, place);
  seed_ = folded(seed_, place);
}

random::GeneratorState Draws::of(int64_t element) const {
  return {folded(seed_, static_cast<uint64_t>(element)), 0};
}

std::string place_of(const Node& node, const Element& element) {
  std::string out = text("element ", element.number, " of ", node.text());
  if (element.origin != nullptr) out += text(", from ", to_string(*element.origin));
  return out;
}

void set_foreign_error(ForeignError function) { foreign_error.store(function); }
void set_is_error(IsError function) { is_error_of_language.store(function); }
bool is_error() {
  const IsError function = is_error_of_language.load();
  return function == nullptr || function();
}

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
