// Updates of Variables: taken out, written, put back; or as part of a graph.
#include "weft/op/assign_updated.h"

#include <algorithm>
#include <thread>

#include "weft/op/apply.h"
#include "weft/op/context.h"
#include "weft/op/levels.h"
#include "weft/op/variable_state.h"

namespace weft {
namespace {

bool same_type(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && std::ranges::equal(a.shape(), b.shape());
}

// May the door be left out? What is not as the op wants it, the door says.
bool is_plain(TensorSpan scalars, TensorSpan gradients, std::span<const Tensor> values) {
  const size_t count = gradients.size();
  const DType dtype = gradients[0].dtype();
  const auto fits = [&](const Tensor& t, DType wanted) {
    return t.defined() && t.is_concrete() && !t.is_weak() && t.dtype() == wanted;
  };
  for (const Tensor& t : scalars) {
    if (!fits(t, dtype) || t.rank() != 0) return false;
  }
  for (size_t i = 0; i < count; ++i) {
    if (!fits(gradients[i], dtype)) return false;
  }
  for (size_t i = 0; i < values.size(); ++i) {
    if (!same_type(values[i], gradients[i % count])) return false;
  }
  return true;
}

Tensors inputs_of(TensorSpan scalars, TensorSpan gradients, std::vector<Tensor> values) {
  Tensors in;
  in.reserve(scalars.size() + gradients.size() + values.size());
  for (const Tensor& t : scalars) in.push_back(t);
  for (size_t i = 0; i < gradients.size(); ++i) in.push_back(std::move(values[i]));
  for (const Tensor& t : gradients) in.push_back(t);
  for (size_t i = gradients.size(); i < values.size(); ++i) in.push_back(std::move(values[i]));
  return in;
}

// What inputs_of took in.
Tensors values_of(const Tensors& in, size_t scalars, size_t count) {
  Tensors out;
  for (size_t i = 0; i < count; ++i) out.push_back(in[scalars + i]);
  for (size_t i = scalars + 2 * count; i < in.size(); ++i) out.push_back(in[i]);
  return out;
}

}  // namespace

TakenValues::TakenValues(std::span<const Variable> variables) : variables_(variables) {
  values_.reserve(variables.size());
  for (const Variable& variable : variables) require_place(variable.state());
  while (!take_all()) {
    put_back_taken();  // somebody else has one of them, and may wait for one of ours
    std::this_thread::yield();
  }
}

TakenValues::~TakenValues() { put_back_taken(); }

bool TakenValues::take_all() {
  for (const Variable& variable : variables_) {
    VariableState& s = variable.state();
    Tensor old_leaf;  // it holds the value
    const std::lock_guard lock(s.mutex);
    if (!s.current.defined()) return false;
    s.exchange_leaf(old_leaf);
    values_.push_back(std::move(s.current));
  }
  return true;
}

void TakenValues::put_back_taken() {
  for (size_t i = 0; i < values_.size(); ++i) {
    if (values_[i].defined()) put_back(i, values_[i]);
  }
  values_.clear();
}

void TakenValues::put_back(TensorSpan values) {
  for (size_t i = 0; i < values.size(); ++i) put_back(i, values[i]);
}

void TakenValues::put_back(size_t i, const Tensor& value) {
  VariableState& s = variables_[i].state();
  const std::lock_guard lock(s.mutex);
  s.current = value;
}

void assign_updated(const OpDef& op, TensorSpan scalars, TensorSpan gradients,
                    std::span<const Variable> places, Where where) {
  const NoGrad no_grad;
  const bool is_staged = staging_level() != nullptr;
  if (!is_staged && !context.is_special) {
    TakenValues taken(places);
    if (is_plain(scalars, gradients, taken.values())) {
      Tensors in = inputs_of(scalars, gradients, taken.given_up());
      try {
        return taken.put_back(eager_update(op, in));
      } catch (...) {  // there is no memory: nothing was written
        taken.put_back(values_of(in, scalars.size(), gradients.size()));
        throw;
      }
    }
  }
  std::vector<Tensor> values;
  for (const Variable& place : places) {
    values.push_back(is_staged ? place.read() : place.value());
  }
  const Tensors out =
      apply_all(op, inputs_of(scalars, gradients, std::move(values)), &kNoAttrs, where);
  for (size_t i = 0; i < places.size(); ++i) places[i].assign(out[i], where);
}

}  // namespace weft
