// TerminateOnNaN: ends a training whose numbers are not finite, and finds out which op and which
// records are the cause.
#pragma once

#include "weft/ops/random/key.h"
#include "weft/train/callback.h"

namespace weft::train {

// Ends a training when the loss or a gradient is not finite, before parameters are changed.
//
// The step is computed again, op by op. The history's stop_reason names the first op whose result
// is not finite though its inputs are, with its line, and the records that are the cause.
class TerminateOnNaN : public Callback {
 public:
  const std::string& op() const { return op_; }      // empty: nothing has happened
  const std::string& line() const { return line_; }  // empty: not known
  const std::vector<int64_t>& records() const { return records_; }
  // Where they were read; empty if the data do not tell.
  const std::vector<std::string>& origins() const { return origins_; }

  bool checks_gradients() const override { return true; }
  void on_batch_begin(Run& run, int64_t batch) override;
  void on_not_finite(Run& run, const Batch& batch) override;

 private:
  void go_back() const;
  std::string cause(Run& run, const Batch& batch);

  std::vector<std::pair<Variable, Tensor>> buffers_;  // as they were before the step
  random::GeneratorState generator_;
  std::string op_, line_;
  std::vector<int64_t> records_;
  std::vector<std::string> origins_;
};

}  // namespace weft::train
