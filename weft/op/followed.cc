// Marks on tensors that were drawn or computed, and the Variables that were read last.
#include "weft/op/followed.h"

#include <algorithm>
#include <deque>

#include "weft/op/context.h"

namespace weft {

struct Followed {
  struct Read {
    Variable variable;
    Tensor value;
  };
  std::deque<Read> reads;  // the latest last
};

namespace {

constexpr size_t kReads = 256;  // of a forgotten one a graph keeps the value, or refuses it

// Concrete nodes have no other use for the byte.
void mark(const Tensor& t, ValueOrigin origin) {
  if (t.defined() && t.is_concrete()) t.node()->role = static_cast<uint8_t>(origin);
}

void set_followed(Followed* followed) {
  context.followed = followed;
  refresh_special();
}

}  // namespace

bool follow_origins(bool on) {
  const bool was_on = context.followed != nullptr;
  if (on == was_on) return was_on;
  delete context.followed;
  set_followed(on ? new Followed : nullptr);
  return was_on;
}

Unfollowed::Unfollowed() : outer_(context.followed) { set_followed(nullptr); }
Unfollowed::~Unfollowed() {
  if (context.followed != outer_) delete context.followed;
  set_followed(outer_);
}

Variable variable_read_as(const Tensor& t) {
  if (context.followed == nullptr) return {};
  const std::deque<Followed::Read>& reads = context.followed->reads;
  for (auto one = reads.rbegin(); one != reads.rend(); ++one) {
    if (one->value.node() == t.node()) return one->variable;
  }
  return {};
}

ValueOrigin origin_of(const Tensor& t) {
  if (!t.defined()) return ValueOrigin::kItself;
  if (variable_read_as(t).defined()) return ValueOrigin::kVariable;
  return t.is_concrete() ? static_cast<ValueOrigin>(t.node()->role) : ValueOrigin::kItself;
}

void note_read(const Variable& variable, const Tensor& value) {
  std::deque<Followed::Read>& reads = context.followed->reads;
  reads.push_back({variable, value});
  if (reads.size() > kReads) reads.pop_front();
}

void note_draw(const Tensor& words) { mark(words, ValueOrigin::kDraw); }

void note_computed(TensorSpan in, TensorSpan out) {
  ValueOrigin origin = ValueOrigin::kItself;
  for (const Tensor& t : in) origin = std::max(origin, origin_of(t));
  if (origin == ValueOrigin::kItself) return;
  for (const Tensor& t : out) {
    // What is given on as it is belongs to others, too.
    const bool is_given_on = std::any_of(in.begin(), in.end(),
                                         [&](const Tensor& one) { return one.node() == t.node(); });
    if (!is_given_on) mark(t, origin);
  }
}

}  // namespace weft
