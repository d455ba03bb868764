// Running a stretch: Variables are written in place, and nobody sees it.
#include "weft/eager/update.h"
#include "weft/op/apply.h"
#include "weft/runtime/frame.h"

namespace weft {

void Frame::before(uint32_t instruction) {
  if (stretch_ != nullptr) {
    if (instruction > stretch_->last) {
      end_stretch();
    } else {
      put_back(instruction);
    }
  }
  const bool begins = next_stretch_ < plan_->stretches.size() &&
                      plan_->stretches[next_stretch_].first == instruction;
  if (begins) begin_stretch(plan_->stretches[next_stretch_++]);
}

// All memory is there before the first value is written.
void Frame::begin_stretch(const Stretch& stretch) {
  variables_.clear();
  for (const Replaced& place : stretch.places) {
    variables_.push_back(place.parameter == ir::kNone ? place.variable
                                                      : donor_->variables[place.parameter]);
  }
  is_written_.assign(stretch.places.size(), false);
  next_place_ = 0;
  stretch_ = &stretch;
  to_its_end_.emplace();
  taken_.emplace(variables_);
  for (size_t i = 0; i < stretch.places.size(); ++i) {
    if (!take(i)) taken_->put_back(i, taken_->given_up(i));
  }
  for (uint32_t i = stretch.first; i <= stretch.last && i < plan_->instructions.size(); ++i) {
    const Instruction& it = plan_->instructions[i];
    if (it.makes_fresh && it.kind != Instruction::Kind::kCompute) make_fresh(it);
  }
}

// Who holds the old value for this run.
Tensor& Frame::holder_of(const Replaced& place) {
  return place.parameter == ir::kNone ? owned_[place.old] : (*donor_->arguments)[place.parameter];
}

// The new value is to be where the old one is, unless somebody else holds that.
bool Frame::take(size_t i) {
  const Replaced& place = stretch_->places[i];
  const Tensor& value = taken_->values()[i];
  if (value.node() != nodes_[place.old]) return false;  // somebody has assigned another one
  const PlannedValue& old = plan_->values[place.old];
  for (uint32_t k = old.first_view; k < old.first_view + old.views; ++k) {
    owned_[plan_->views[k]] = Tensor();  // nobody wants them any more
  }
  holder_of(place) = Tensor();
  if (!may_write(*static_cast<const Concrete*>(value.node()))) {
    holder_of(place) = value;
    return false;
  }
  is_written_[i] = true;
  keep(place.value, taken_->given_up(i));
  return true;
}

void Frame::put_back(uint32_t instruction) {
  for (; next_place_ < is_written_.size(); ++next_place_) {
    const Replaced& place = stretch_->places[next_place_];
    if (place.stored > instruction) return;
    if (!is_written_[next_place_]) continue;
    taken_->put_back(next_place_, owned_[place.value]);
    if (donor_->is_stored != nullptr && place.parameter != ir::kNone) {
      (*donor_->is_stored)[place.parameter] = true;
    }
  }
}

// Also when something failed: what was to be written is as before, or written to its end.
void Frame::end_stretch() {
  if (stretch_ == nullptr) return;
  put_back(UINT32_MAX);
  taken_.reset();
  variables_.clear();
  stretch_ = nullptr;
  to_its_end_.reset();
}

// An update, in the memory of the values that were taken.
void Frame::update(const Instruction& it) {
  const ir::ValueId* const ids = plan_->operands.data() + it.first;
  Tensors in;
  in.reserve(it.operands - it.outputs);
  for (size_t k = it.outputs; k < it.operands; ++k) {
    in.push_back(reinterpret_cast<const Tensor&>(nodes_[ids[k]]));
  }
  const auto each_written = [&](const auto& body) {
    for (size_t i = 0; i < is_written_.size(); ++i) {
      const Replaced& place = stretch_->places[i];
      if (is_written_[i] && &plan_->instructions[place.writer] == &it) body(place);
    }
  };
  each_written([&](const Replaced& place) { in[place.operand] = std::move(owned_[place.value]); });
  Tensors out;
  try {
    out = eager_update(*plan_->function->graph.node(it.node).op, in);
  } catch (...) {  // there is no memory: nothing was written
    each_written(
        [&](const Replaced& place) { owned_[place.value] = std::move(in[place.operand]); });
    throw;
  }
  for (size_t k = 0; k < out.size(); ++k) store_output(ids[k], std::move(out[k]));
}

}  // namespace weft
