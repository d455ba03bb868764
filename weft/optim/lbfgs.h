// L-BFGS.
#pragma once

#include <deque>

#include "weft/optim/optimizer.h"

namespace weft::optim {

struct LBFGSOptions {
  double lr = 1;
  int64_t max_iter = 20;
  int64_t max_eval = 25;  // of the loss, in a step
  double tolerance_grad = 1e-7, tolerance_change = 1e-9;
  int64_t history_size = 100;
  bool strong_wolfe = false;  // searches along each direction; otherwise it takes steps of lr
};

// Quasi-Newton steps from the last changes of the gradient: Nocedal 1980. It computes the loss as
// often as it likes, so its step takes a function, and it is no part of graphs.
class LBFGS : public Optimizer {
 public:
  explicit LBFGS(Parameters parameters, LBFGSOptions options = {});

  // Several iterations; gives the loss before the first. `loss` computes it from the parameters.
  Tensor step(const std::function<Tensor()>& loss, Where where = Where::here());

  // Beside the groups' numbers: "history.<k>.change", "history.<k>.gradient", "direction",
  // "gradient", "numbers".
  StateDict state_dict() const override;
  void load_state_dict(const StateDict& state, Where where = Where::here()) override;

 protected:
  void update(const Group& group, TensorSpan gradients, Where where) override;

 private:
  struct Change {
    Tensor step, gradient;
    double curvature;  // their product
  };
  struct Point {
    double loss;
    Tensor gradient;  // of all that learn, in a row
  };

  Tensor flat(TensorSpan tensors) const;
  void move_to(const Tensor& start, double length, Where where) const;
  void forget_if_others_learn();
  Point evaluate(const std::function<Tensor()>& loss, Where where);
  Tensor next_direction(const Tensor& gradient) const;
  // The length of the step along direction_, and the point there.
  std::pair<double, Point> search(const std::function<Tensor()>& loss, const Tensor& start,
                                  const Point& from, double slope, double length, Where where);

  const LBFGSOptions options_;
  std::deque<Change> history_;
  Tensor direction_, gradient_;  // of the last iteration
  double length_ = 0, scale_ = 1;
  int64_t iterations_ = 0, evaluations_ = 0;
  std::string learn_;  // which parameters did in the last step: '+', or '-' if frozen
};

}  // namespace weft::optim
