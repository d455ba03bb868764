// What branches save, side by side.
#include "weft/control/switch_halves.h"

#include <algorithm>

#include "weft/op/builtin.h"

namespace weft {
namespace {

Types parameter_types(const ir::Function& f) {
  Types out;
  for (size_t i = 0; i < f.parameter_count(); ++i) out.push_back(f.parameter_type(i));
  return out;
}

bool is_found_inside(const Type& type) {
  std::vector<Dim> symbols;
  for (const Dim dim : type.shape) append_symbols(symbols, dim);
  return std::ranges::any_of(symbols, [](Dim one) { return to_string(one).starts_with('?'); });
}

}  // namespace

SwitchHalves::SwitchHalves(const FunctionsAttr& branches, const Flags& wanted, TypeSpan operands)
    : branches_(branches), wanted_(wanted), operands_(operands) {
  for (size_t i = 0; i < branches.size(); ++i) {
    halves_.push_back(forward_of(branches[i], wanted, operands));
    take_places(i);
  }
}

void SwitchHalves::take_places(size_t branch) {
  const ir::Function& half = *halves_[branch];
  std::vector<size_t>& used = used_.emplace_back();
  for (size_t k = branches_[branch]->results.size(); k < half.results.size(); ++k) {
    const Type& type = half.result_type(k);
    can_save_ = can_save_ && !is_found_inside(type);
    size_t place = 0;
    while (place < places_.size() && (std::ranges::find(used, place) != used.end() ||
                                      !(type_in(half, places_[place]) == type))) {
      ++place;
    }
    if (place == places_.size()) places_.push_back({branch, k});
    used.push_back(place);
  }
}

// In the symbols of that branch.
Type SwitchHalves::type_in(const ir::Function& branch, const Place& place) const {
  return ir::result_types(*halves_[place.branch], parameter_types(branch))[place.result];
}

std::string SwitchHalves::key(std::string_view kind, size_t branch) const {
  std::string out = text(kind, ':');
  for (const Place& place : places_) out += text(type_in(*halves_[branch], place), ' ');
  for (const size_t place : used_[branch]) out += text(place, ',');
  return out;
}

FunctionsAttr SwitchHalves::forward() const {
  FunctionsAttr out;
  for (size_t i = 0; i < halves_.size(); ++i) {
    const ir::Function& half = *halves_[i];
    const size_t results = branches_[i]->results.size();
    const auto body = [&](TensorSpan in) {
      const Tensors all = ir::inlined(half, in, Where());
      Tensors given(TensorSpan(all).first(results));
      for (size_t place = 0; place < places_.size(); ++place) {
        const auto found = std::ranges::find(used_[i], place);
        if (found != used_[i].end()) {
          given.push_back(all[results + static_cast<size_t>(found - used_[i].begin())]);
          continue;
        }
        const Type type = type_in(half, places_[place]);
        given.push_back(zeros(type.shape, type.dtype));
      }
      return given;
    };
    out.push_back(
        derived(halves_[i], key("side_by_side", i), operands_, parameter_types(half), body));
  }
  return out;
}

SwitchHalves::Backward SwitchHalves::backward(const Flags& given, const Flags& begun) const {
  Backward out{{}, Flags(wanted_.size(), false)};
  std::vector<BackwardHalf> back;
  for (size_t i = 0; i < halves_.size(); ++i) {
    back.push_back(backward_of(branches_[i], wanted_, halves_[i], given, operands_, begun));
    for (size_t k = 0; k < wanted_.size(); ++k) {
      out.reached[k] = out.reached[k] || back[i].reached[k];
    }
  }
  std::string reached = derived_key("", out.reached);
  for (size_t i = 0; i < halves_.size(); ++i) {
    const ir::Function& half = *halves_[i];
    const size_t results = branches_[i]->results.size();
    Types parameters = parameter_types(half);
    for (size_t k = 0; k < results; ++k) parameters.push_back(half.result_type(k));
    for (const Place& place : places_) parameters.push_back(type_in(half, place));
    for (size_t k = 0; k < results; ++k) {
      if (given[k]) parameters.push_back(half.result_type(k));
    }
    const size_t first_sum = parameters.size();
    for (size_t k = 0; k < begun.size(); ++k) {
      if (begun[k]) parameters.push_back(half.parameter_type(k));
    }
    const auto body = [&](TensorSpan all) {
      const size_t count = half.parameter_count();
      Tensors in(all.first(count + results));
      for (const size_t place : used_[i]) in.push_back(all[count + results + place]);
      for (const Tensor& t : all.subspan(count + results + places_.size())) in.push_back(t);
      const Tensors found = ir::inlined(*back[i].function, in, Where());
      Tensors cotangents;
      size_t next = 0, next_sum = first_sum;
      for (size_t k = 0; k < wanted_.size(); ++k) {
        const Tensor sum = begun[k] ? all[next_sum++] : Tensor();
        const Type& type = half.parameter_type(k);
        if (back[i].reached[k]) {
          cotangents.push_back(found[next++]);
        } else if (out.reached[k]) {
          cotangents.push_back(sum.defined() ? sum : zeros(type.shape, type.dtype));
        }
      }
      return cotangents;
    };
    const std::string name = text(key("backward_side_by_side", i), reached, derived_key("", given),
                                  derived_key("", begun));
    out.branches.push_back(derived(halves_[i], name, operands_, parameters, body));
  }
  return out;
}

}  // namespace weft
