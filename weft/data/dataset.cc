// Iterators of datasets, and datasets as text.
#include "weft/data/dataset.h"

#include "weft/core/allocator.h"
#include "weft/data/options.h"
#include "weft/data/wait_watch.h"
#include "weft/ops/random/key.h"

namespace weft::data {
namespace {

void append_tree(std::string& out, const Node& node, int depth) {
  out.append(static_cast<size_t>(2 * depth), ' ');
  out += node.text();
  for (const Node::Ptr& input : node.inputs()) {
    out += '\n';
    append_tree(out, *input, depth + 1);
  }
}

int64_t skipped_by(Run& run, const Node& node) {
  int64_t out = run.times_of(node).skipped.load();
  for (const Node::Ptr& input : node.inputs()) out += skipped_by(run, *input);
  return out;
}

Context new_pass(const Node::Ptr& node, uint64_t epoch, uint64_t seed) {
  return {std::make_shared<Run>(budget_of(*node)), epoch, seed, node};
}

}  // namespace

std::string to_string(const Dataset& dataset) {
  std::string out;
  append_tree(out, *dataset.node(), 0);
  return out;
}

Element Dataset::as_tensors() const {
  constexpr int64_t kAll = int64_t{1} << 40;  // more elements than there are
  const int64_t count = cardinality();
  if (count == kInfinite) {
    fail(Code::kInvalid, "as_tensors", "infinite",
         "the dataset is without end; take(n) gives the first n elements");
  }
  Iterator whole = batch(count > 0 ? count : kAll).iterator();
  Element out;
  if (!whole.next(out)) {
    fail(Code::kInvalid, "as_tensors", "empty",
         "the dataset has no elements that would make tensors");
  }
  return out;
}

Iterator Dataset::iterator() const { return Iterator(*this); }

Iterator Dataset::begin() const {
  Iterator out(*this);
  ++out;
  return out;
}

Iterator::Iterator(const Dataset& dataset)
    : kept_(dataset.kept()),
      node_(dataset.node()),
      context_(new_pass(node_, static_cast<uint64_t>(node_->begin_pass()),
                        random::generator_state().seed)),
      cursor_(node_->cursor(context_)) {}

Iterator::~Iterator() {
  if (context_.run != nullptr) context_.run->stop();
}

bool Iterator::next(Element& out) {
  const Wait wait;
  const int64_t now = nanoseconds_now();
  Run& run = *context_.run;
  if (run.began.load() == 0) {
    run.began.store(now);
    node_->set_latest(context_.run);
  } else {
    run.outside.fetch_add(now - run.left.load());
  }
  bool has_one = false;
  try {
    has_one = cursor_->next(out);
  } catch (Error& error) {
    run.left.store(nanoseconds_now());
    if (error.code != Code::kInterrupted)
      error.note(text("after ", given_, " elements of the dataset"));
    throw;
  }
  run.left.store(nanoseconds_now());
  run.given.fetch_add(has_one ? 1 : 0);
  given_ += has_one ? 1 : 0;
  rows_ = has_one ? out.rows : nullptr;
  return has_one;
}

State Iterator::state_dict() const {
  State out;
  const StateWriter to(out);
  to.put("pass", static_cast<int64_t>(context_.epoch));
  to.put("given", given_);
  to.put("seed", static_cast<int64_t>(context_.seed));
  cursor_->save(to.at(node_->name()));
  return out;
}

void Iterator::load_state_dict(const State& state) {
  const StateReader from(state);
  const int64_t pass = from.position("pass"), given = from.position("given");
  const uint64_t seed =
      from.has("seed") ? static_cast<uint64_t>(from.integer("seed")) : context_.seed;
  Context context = new_pass(node_, static_cast<uint64_t>(pass), seed);
  std::unique_ptr<Cursor> cursor = node_->cursor(context);
  cursor->restore(from.at(node_->name()));
  context_.run->stop();
  cursor_ = std::move(cursor);
  context_ = std::move(context);
  given_ = given;
  node_->set_passes(pass + 1);  // the next pass over the dataset is another one
}

int64_t Iterator::skipped() const { return skipped_by(*context_.run, *node_); }

}  // namespace weft::data
