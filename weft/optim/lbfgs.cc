// L-BFGS: two loops over the history give the direction (Nocedal and Wright 2006, algorithm 7.4),
// bracketing and cubic interpolation the length of a step (algorithms 3.5 and 3.6).
#include "weft/optim/lbfgs.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "weft/base/fail_at.h"
#include "weft/op/builtin.h"
#include "weft/op/levels.h"
#include "weft/op/variable_state.h"
#include "weft/ops/linalg/linalg.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/reduce/reduce.h"
#include "weft/ops/shape/shape_ops.h"
#include "weft/transform/tape.h"

namespace weft::optim {
namespace {

constexpr double kDecrease = 1e-4, kCurvature = 0.9;  // Wolfe's conditions
constexpr int kMostTrials = 25;                       // of a line search
constexpr double kLeastCurvature = 1e-10;             // of a change that is kept

double dot(const Tensor& a, const Tensor& b) { return sum(a * b).item(); }
double largest(const Tensor& x) { return max(abs(x)).item(); }

// A point along the direction: how far, the loss and its slope.
struct Trial {
  double length = 0, loss = 0, slope = 0;
};

// Where the cubic through two points and their slopes is least, within [low, high].
double cubic_minimum(const Trial& a, const Trial& b, double low, double high) {
  const double d1 = a.slope + b.slope - 3 * (a.loss - b.loss) / (a.length - b.length);
  const double square = d1 * d1 - a.slope * b.slope;
  if (!(square >= 0)) return (low + high) / 2;
  const bool is_ordered = a.length <= b.length;
  const Trial &first = is_ordered ? a : b, &last = is_ordered ? b : a;
  const double d2 = std::sqrt(square);
  const double at = last.length - (last.length - first.length) * (last.slope + d2 - d1) /
                                      (last.slope - first.slope + 2 * d2);
  return std::isnan(at) ? (low + high) / 2 : std::clamp(at, low, high);
}

}  // namespace

LBFGS::LBFGS(Parameters parameters, LBFGSOptions o)
    : Optimizer({.name = "LBFGS", .options = {{"lr", o.lr}}}, parameters), options_(o) {
  if (groups().size() > 1) {
    fail(Code::kInvalid, "LBFGS", "groups", "there are ", groups().size(),
         " groups; it takes one, because it steps along one direction");
  }
  const DType dtype = this->parameters()[0].dtype();
  for (const Variable& parameter : this->parameters()) {
    if (parameter.dtype() == dtype) continue;
    fail(Code::kType, "LBFGS", "dtype", "parameters have dtypes ", dtype, " and ",
         parameter.dtype(), "; it takes one, because it steps along one direction");
  }
}

void LBFGS::update(const Group&, TensorSpan, Where where) {
  fail_at(where, Code::kInvalid, "LBFGS", "step",
          "computes the loss several times a step, so gradients are not enough; call step(loss) "
          "with a function that gives the loss");
}

Tensor LBFGS::flat(TensorSpan tensors) const {
  std::vector<Tensor> rows;
  for (const Tensor& t : tensors) rows.push_back(reshape(t, {num_elements(t.shape())}));
  return concat(rows, 0);
}

void LBFGS::move_to(const Tensor& start, double length, Where where) const {
  const Tensor there = start + direction_ * length;
  int64_t begin = 0;
  for (const Variable& parameter : trained()) {
    const Shape shape = parameter.shape();
    const int64_t count = num_elements(shape).value();
    const int64_t one = 1;
    parameter.assign(reshape(there.view(Shape{count}, {&one, 1}, begin), shape), where);
    begin += count;
  }
}

LBFGS::Point LBFGS::evaluate(const std::function<Tensor()>& loss, Where where) {
  ++evaluations_;
  GradientTape tape({}, where);
  const Tensor value = loss();
  tape.stop();
  const std::vector<Tensor> gradients = tape.gradient(value, trained(), where);
  return {value.item(), flat(gradients)};
}

// What it knows of the curve is of the space of those parameters alone.
void LBFGS::forget_if_others_learn() {
  std::string now;
  int64_t size = 0;
  for (const Variable& parameter : parameters()) {
    now += parameter.trainable() ? '+' : '-';
    if (parameter.trainable()) size += num_elements(parameter.shape()).value();
  }
  const std::string before = std::exchange(learn_, now);
  if (!gradient_.defined() || (before.empty() ? gradient_.numel() == size : before == now)) return;
  gradient_ = direction_ = Tensor();
  history_.clear();
  iterations_ = 0;
}

Tensor LBFGS::next_direction(const Tensor& gradient) const {
  Tensor q = -gradient;
  std::vector<double> weights(history_.size());
  for (size_t k = history_.size(); k-- > 0;) {
    weights[k] = dot(history_[k].step, q) / history_[k].curvature;
    q = q - history_[k].gradient * weights[k];
  }
  Tensor r = q * scale_;
  for (size_t k = 0; k < history_.size(); ++k) {
    const double back = dot(history_[k].gradient, r) / history_[k].curvature;
    r = r + history_[k].step * (weights[k] - back);
  }
  return r;
}

std::pair<double, LBFGS::Point> LBFGS::search(const std::function<Tensor()>& loss,
                                              const Tensor& start, const Point& from, double slope,
                                              double length, Where where) {
  const auto is_too_high = [&](const Trial& t) {
    return t.loss > from.loss + kDecrease * t.length * slope;
  };
  Point point;
  const auto tried = [&](double at) {
    move_to(start, at, where);
    point = evaluate(loss, where);
    return Trial{at, point.loss, dot(point.gradient, direction_)};
  };
  Trial low{0, from.loss, slope}, high, now = tried(length);
  Point best = point;  // that of `low`, once there is one
  bool is_bracketed = false;
  int trials = 1;
  // Ever longer, until the minimum is between two points.
  for (Trial before = low; trials < kMostTrials; ++trials) {
    if (is_too_high(now) || (trials > 1 && now.loss >= before.loss)) {
      low = before, high = now, is_bracketed = true;
      break;
    }
    if (std::abs(now.slope) <= -kCurvature * slope) return {now.length, point};
    best = point;
    if (now.slope >= 0) {
      low = now, high = before, is_bracketed = true;
      break;
    }
    const double nearest = now.length + 0.01 * (now.length - before.length);
    const double next = cubic_minimum(before, now, nearest, now.length * 10);
    before = low = now;
    now = tried(next);
  }
  if (!is_bracketed) return {now.length, point};
  if (low.length == 0) best = from;
  // Ever closer.
  const double scale = largest(direction_);
  for (; trials < kMostTrials; ++trials) {
    const double begin = std::min(low.length, high.length), end = std::max(low.length, high.length);
    if ((end - begin) * scale < options_.tolerance_change) break;
    const double margin = 0.1 * (end - begin);  // a trial at an end would tell nothing
    now = tried(std::clamp(cubic_minimum(low, high, begin, end), begin + margin, end - margin));
    if (is_too_high(now) || now.loss >= low.loss) {
      high = now;
      continue;
    }
    if (std::abs(now.slope) <= -kCurvature * slope) return {now.length, point};
    if (now.slope * (high.length - low.length) >= 0) high = low;
    low = now;
    best = point;
  }
  move_to(start, low.length, where);
  return {low.length, best};
}

Tensor LBFGS::step(const std::function<Tensor()>& loss, Where where) {
  if (staging_level() != nullptr) {
    fail_at(where, Code::kInvalid, "LBFGS", "traced",
            "decides by values how far to go, and is no part of a graph; call step(loss) outside, "
            "where the loss itself may be a traced function");
  }
  const NoGrad no_grad;
  groups()[0].steps().assign_add(Tensor::scalar(DType::kI64, 1), where);
  const int64_t first_evaluation = evaluations_;
  forget_if_others_learn();
  Point now = evaluate(loss, where);
  const Tensor before = Tensor::scalar(parameters()[0].dtype(), now.loss);
  for (int64_t k = 0; k < options_.max_iter; ++k) {
    if (largest(now.gradient) <= options_.tolerance_grad) break;
    if (gradient_.defined()) {
      const Tensor change = now.gradient - gradient_, moved = direction_ * length_;
      const double curvature = dot(change, moved);
      if (curvature > kLeastCurvature) {
        if (static_cast<int64_t>(history_.size()) == options_.history_size) history_.pop_front();
        history_.push_back({moved, change, curvature});
        scale_ = curvature / dot(change, change);
      }
    }
    direction_ = gradient_.defined() ? next_direction(now.gradient) : -now.gradient;
    gradient_ = now.gradient;
    const double lr = this->lr();
    const double total = sum(abs(now.gradient)).item();
    length_ = ++iterations_ == 1 ? std::min(1.0, 1 / total) * lr : lr;
    const double slope = dot(now.gradient, direction_);
    if (slope > -options_.tolerance_change) break;  // it leads nowhere
    std::vector<Tensor> values;
    for (const Variable& parameter : trained()) values.push_back(parameter.value());
    const Tensor start = flat(values);
    const double old_loss = now.loss;
    if (options_.strong_wolfe) {
      std::tie(length_, now) = search(loss, start, now, slope, length_, where);
    } else {
      move_to(start, length_, where);
      if (k + 1 < options_.max_iter) now = evaluate(loss, where);
    }
    const bool is_done =
        evaluations_ - first_evaluation >= options_.max_eval ||
        largest(now.gradient) <= options_.tolerance_grad ||
        largest(direction_) * std::abs(length_) <= options_.tolerance_change ||
        (k + 1 < options_.max_iter && std::abs(now.loss - old_loss) < options_.tolerance_change);
    if (is_done) break;
  }
  return before;
}

StateDict LBFGS::state_dict() const {
  StateDict out = Optimizer::state_dict();
  const double numbers[] = {length_, scale_, static_cast<double>(iterations_),
                            static_cast<double>(evaluations_)};
  out["numbers"] = Tensor::from_bytes(DType::kF64, Shape{4}, std::as_bytes(std::span(numbers)));
  if (direction_.defined()) out["direction"] = direction_, out["gradient"] = gradient_;
  for (size_t k = 0; k < history_.size(); ++k) {
    out[text("history.", k, ".change")] = history_[k].step;
    out[text("history.", k, ".gradient")] = history_[k].gradient;
  }
  return out;
}

void LBFGS::load_state_dict(const StateDict& given, Where where) {
  StateDict rest = given;
  const auto take = [&](const std::string& name) {
    const auto found = rest.find(name);
    const Tensor out = found == rest.end() ? Tensor() : found->second;
    if (found != rest.end()) rest.erase(found);
    return out;
  };
  const Tensor numbers = take("numbers"), direction = take("direction"),
               gradient = take("gradient");
  std::deque<Change> history;
  while (true) {
    const Tensor change = take(text("history.", history.size(), ".change"));
    const Tensor slope = take(text("history.", history.size(), ".gradient"));
    if (!change.defined() || !slope.defined()) break;
    history.push_back({change, slope, dot(slope, change)});
  }
  if (!numbers.defined() || numbers.dtype() != DType::kF64 || numbers.numel() != 4) {
    fail_at(where, Code::kInvalid, "load_state_dict", "missing",
            "there are no 'numbers' of four float64, which this LBFGS has; load what was saved of "
            "one like it");
  }
  Optimizer::load_state_dict(rest, where);
  const std::vector<double> values = numbers.to_vector<double>();
  length_ = values[0], scale_ = values[1];
  iterations_ = static_cast<int64_t>(values[2]), evaluations_ = static_cast<int64_t>(values[3]);
  direction_ = direction, gradient_ = gradient;
  history_ = std::move(history);
  learn_.clear();
}

}  // namespace weft::optim
