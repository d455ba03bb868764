// Schedules: the learning rate of an optimizer as a function of how often the schedule has moved.
//
//     Schedule schedule(optimizer, cosine(100));
//     optimizer.step(), schedule.step();
//
// The rate is a Variable, and a schedule a few ops on the count, so both may be part of a graph or
// a traced function, and nothing is traced again when the rate changes.
#pragma once

#include <functional>

#include "weft/optim/optimizer.h"

namespace weft::optim {

// The factor of the optimizer's first rate after `t` moves; t is float64 of rank 0, and 0 at first.
using Factor = std::function<Tensor(const Tensor& t)>;

namespace schedules {

Factor constant(double factor, double moves);  // `factor` for the first moves, then 1
Factor step(double size, double gamma = 0.1);  // gamma^k after k * size moves
Factor multi_step(std::vector<double> milestones, double gamma = 0.1);
Factor exponential(double gamma);
Factor polynomial(double moves, double power = 1);          // from 1 to 0
Factor linear(double moves, double start, double end = 1);  // warm-up: from start to end
Factor cosine(double moves, double lowest = 0);             // from 1 to lowest, and back
Factor cosine_restarts(double moves, double growth = 1, double lowest = 0);
// Up from 1 / div to 1 in the first share `pct` of `moves`, then down to 1 / (div * final_div).
Factor one_cycle(double moves, double pct = 0.3, double div = 25, double final_div = 1e4,
                 bool is_linear = false);
Factor chained(std::vector<Factor> factors);  // their product
// One after the other: each counts from the milestone where it begins.
Factor sequential(std::vector<Factor> factors, std::vector<double> milestones);

}  // namespace schedules

class Schedule {
 public:
  // Sets the rates for t = 0. `optimizer` outlives it.
  Schedule(Optimizer& optimizer, Factor factor);

  void step(Where where = Where::here());
  int64_t count() const { return count_.value().item_int(); }
  std::vector<double> rates() const;  // of the groups, now
  // Gives the groups their first rates again, for a schedule that takes this one's place.
  void release(Where where = Where::here());

  std::vector<NamedVariable> state() const;  // "count", "base.0", ...
  StateDict state_dict() const { return values_of(state()); }
  void load_state_dict(const StateDict& state, Where where = Where::here());

 private:
  void set_rates(Where where);
  // A group that was added since has its first rate now.
  void know_groups() const;

  Optimizer& optimizer_;
  Factor factor_;
  Variable count_;
  mutable std::vector<Variable> base_;  // the first rates of the groups that are known
};

struct PlateauOptions {
  double factor = 0.1;
  double patience = 10;     // moves without progress that are borne
  double threshold = 1e-4;  // less is no progress
  bool is_relative = true;  // to the best so far
  bool is_max = false;      // progress is upwards
  double cooldown = 0;      // moves after a change in which nothing is counted
  double lowest = 0;        // rate
};

// Multiplies the rate by `factor` when a metric has stopped to make progress.
class Plateau {
 public:
  Plateau(Optimizer& optimizer, PlateauOptions options = {});
  void step(const Tensor& metric, Where where = Where::here());

  std::vector<NamedVariable> state() const;  // "best", "bad", "cooling"
  StateDict state_dict() const { return values_of(state()); }
  void load_state_dict(const StateDict& state, Where where = Where::here()) {
    load_state("Plateau", this->state(), state, where);
  }

 private:
  Optimizer& optimizer_;
  const PlateauOptions options_;
  Variable best_, bad_, cooling_;
};

}  // namespace weft::optim
