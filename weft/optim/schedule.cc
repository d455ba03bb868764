// Schedules as formulas of the count.
#include "weft/optim/schedule.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "weft/base/error.h"
#include "weft/op/builtin.h"
#include "weft/op/levels.h"
#include "weft/op/variable_state.h"
#include "weft/ops/math/operators.h"
#include "weft/trace/eager_scope.h"

namespace weft::optim {
namespace {

Tensor number(double value) { return Tensor::scalar(DType::kF64, value); }

Variable state_of(std::string_view name, const Tensor& value) {
  return Variable(value, {.name = name, .trainable = false});
}

void require_positive(std::string_view who, std::string_view name, double value) {
  check_option(who, {std::string(name), value, Range::kPositive});
}

// From `from` to `to` as x goes from 0 to 1.
Tensor between(double from, double to, const Tensor& x, bool is_linear) {
  const Tensor share = is_linear ? x : (1.0 - cos(x * std::numbers::pi)) * 0.5;
  return from + share * (to - from);
}

Tensor within_unit(const Tensor& x) {
  const Tensor zero = number(0), one = number(1);
  return minimum(maximum(x, zero), one);
}

}  // namespace

namespace schedules {

Factor constant(double factor, double moves) {
  return [=](const Tensor& t) {
    const Tensor first = number(factor), one = number(1);
    return where(t < moves, first, one);
  };
}

Factor step(double size, double gamma) {
  require_positive("step", "size", size);
  return [=](const Tensor& t) {
    const Tensor base = number(gamma);
    return pow(base, floor(t / size));
  };
}

Factor multi_step(std::vector<double> milestones, double gamma) {
  return [=](const Tensor& t) {
    Tensor passed = number(0);
    for (const double milestone : milestones) passed = passed + cast(t >= milestone, DType::kF64);
    return pow(number(gamma), passed);
  };
}

Factor exponential(double gamma) {
  return [=](const Tensor& t) { return pow(number(gamma), t); };
}

Factor polynomial(double moves, double power) {
  require_positive("polynomial", "moves", moves);
  return [=](const Tensor& t) {
    const Tensor exponent = number(power);
    return pow(1.0 - within_unit(t / moves), exponent);
  };
}

Factor linear(double moves, double start, double end) {
  require_positive("linear", "moves", moves);
  return [=](const Tensor& t) { return between(start, end, within_unit(t / moves), true); };
}

Factor cosine(double moves, double lowest) {
  require_positive("cosine", "moves", moves);
  return [=](const Tensor& t) { return between(1, lowest, t / moves, false); };
}

Factor cosine_restarts(double moves, double growth, double lowest) {
  require_positive("cosine_restarts", "moves", moves);
  if (!(growth >= 1)) {
    fail(Code::kInvalid, "cosine_restarts", "growth", "growth is ", growth, "; it is 1 or more");
  }
  return [=](const Tensor& t) {
    const Tensor cycles = t / moves;
    if (growth == 1) return between(1, lowest, cycles - floor(cycles), false);
    // Cycle n begins at moves * (growth^n - 1) / (growth - 1). The logarithm may be off by a bit
    // just there, so both neighbours are tried.
    const auto begin_of = [&](const Tensor& n) {
      return (pow(number(growth), n) - 1.0) * (moves / (growth - 1));
    };
    const Tensor guess = floor(log(t * ((growth - 1) / moves) + 1.0) / std::log(growth));
    const Tensor above = guess + 1.0;
    const Tensor later = where(begin_of(above) <= t, above, guess);
    const Tensor below = later - 1.0;
    const Tensor n = where(begin_of(later) > t, below, later);
    const Tensor length = pow(number(growth), n) * moves;
    return between(1, lowest, (t - begin_of(n)) / length, false);
  };
}

Factor one_cycle(double moves, double pct, double div, double final_div, bool is_linear) {
  require_positive("one_cycle", "moves", moves);
  check_option("one_cycle", {"pct", pct, Range::kFraction});
  return [=](const Tensor& t) {
    const double up = pct * moves - 1, last = moves - 1;  // the moves where each part ends
    const Tensor rising = between(1 / div, 1, within_unit(t / std::max(up, 1e-9)), is_linear);
    const Tensor falling =
        between(1, 1 / (div * final_div), within_unit((t - up) / (last - up)), is_linear);
    return where(t <= up, rising, falling);
  };
}

Factor chained(std::vector<Factor> factors) {
  return [=](const Tensor& t) {
    Tensor out = number(1);
    for (const Factor& factor : factors) out = out * factor(t);
    return out;
  };
}

Factor sequential(std::vector<Factor> factors, std::vector<double> milestones) {
  if (factors.size() != milestones.size() + 1) {
    fail(Code::kInvalid, "sequential", "milestones", "there are ", milestones.size(),
         " milestones for ", factors.size(), " schedules; there is one between each two");
  }
  return [=](const Tensor& t) {
    Tensor out = factors[0](t);
    for (size_t i = 0; i < milestones.size(); ++i) {
      const Tensor zero = number(0);
      const Tensor next = factors[i + 1](maximum(t - milestones[i], zero));
      out = where(t >= milestones[i], next, out);
    }
    return out;
  };
}

}  // namespace schedules

Schedule::Schedule(Optimizer& optimizer, Factor factor)
    : optimizer_(optimizer), factor_(std::move(factor)) {
  count_ = state_of("count", Tensor::scalar(DType::kI64, 0));
  std::optional<EagerScope> first_rates;  // set now, not when the graph runs
  if (open_graph() != nullptr) first_rates.emplace();
  set_rates(Where());
}

void Schedule::know_groups() const {
  for (size_t i = base_.size(); i < optimizer_.groups().size(); ++i) {
    base_.push_back(state_of("base", stored_value(optimizer_.groups()[i].variable("lr"))));
  }
}

void Schedule::step(Where where) {
  const NoGrad no_grad;
  count_.assign_add(Tensor::scalar(DType::kI64, 1), where);
  set_rates(where);
}

void Schedule::set_rates(Where where) {
  const NoGrad no_grad;
  know_groups();
  const Tensor factor = cast(factor_(cast(now(count_), DType::kF64, where)), DType::kF64, where);
  if (factor.rank() != 0) {
    fail(Code::kInvalid, "Schedule", "factor", "the factor has shape ", factor.shape(),
         "; it is one number");
  }
  for (size_t i = 0; i < base_.size(); ++i) {
    optimizer_.assign_option(i, "lr", now(base_[i]) * factor, where);
  }
}

void Schedule::release(Where where) {
  std::optional<EagerScope> before_runs;
  if (open_graph() != nullptr) before_runs.emplace();
  for (size_t i = 0; i < base_.size(); ++i) optimizer_.assign_option(i, "lr", now(base_[i]), where);
}

std::vector<double> Schedule::rates() const {
  std::vector<double> out;
  for (const Group& group : optimizer_.groups()) out.push_back(group.value("lr"));
  return out;
}

std::vector<NamedVariable> Schedule::state() const {
  know_groups();
  std::vector<NamedVariable> out = {{"count", count_}};
  for (size_t i = 0; i < base_.size(); ++i) out.push_back({text("base.", i), base_[i]});
  return out;
}

void Schedule::load_state_dict(const StateDict& state, Where where) {
  load_state("Schedule", this->state(), state, where);
  set_rates(where);
}

Plateau::Plateau(Optimizer& optimizer, PlateauOptions options)
    : optimizer_(optimizer), options_(options) {
  check_option("Plateau", {"factor", options.factor, Range::kFraction});
  const double worst = std::numeric_limits<double>::infinity();
  best_ = state_of("best", number(options.is_max ? -worst : worst));
  bad_ = state_of("bad", number(0));
  cooling_ = state_of("cooling", number(0));
}

void Plateau::step(const Tensor& metric, Where where) {
  const NoGrad no_grad;
  const PlateauOptions& o = options_;
  const Tensor value = cast(metric, DType::kF64, where), best = now(best_);
  const double margin = o.is_max ? o.threshold : -o.threshold;
  const Tensor bar = o.is_relative ? best * (1 + margin) : best + margin;
  const Tensor is_better = o.is_max ? value > bar : value < bar;
  const Tensor waiting = now(cooling_), zero = number(0);
  const Tensor is_cooling = waiting > 0.0;
  const Tensor more = now(bad_) + 1.0;
  const Tensor counted = weft::where(is_better | is_cooling, zero, more);
  const Tensor is_over = counted > o.patience;
  best_.assign(weft::where(is_better, value, best), where);
  bad_.assign(weft::where(is_over, zero, counted), where);
  const Tensor cooldown = number(o.cooldown), cooler = maximum(waiting - 1.0, zero);
  cooling_.assign(weft::where(is_over, cooldown, cooler), where);
  for (size_t i = 0; i < optimizer_.groups().size(); ++i) {
    const Tensor lr = optimizer_.groups()[i]["lr"];
    const Tensor lowest = number(o.lowest);
    const Tensor lower = maximum(lr * o.factor, lowest);
    optimizer_.assign_option(i, "lr", weft::where(is_over, lower, lr), where);
  }
}

std::vector<NamedVariable> Plateau::state() const {
  return {{"best", best_}, {"bad", bad_}, {"cooling", cooling_}};
}

}  // namespace weft::optim
