// assign_updated: many Variables get new values from one op, in the memory of the old ones.
#pragma once

#include <span>

#include "weft/base/forks.h"
#include "weft/op/op.h"
#include "weft/op/variable.h"

namespace weft {

// The values of Variables, taken out to be written in place. Readers wait meanwhile, so no code of
// users runs until they are back, and no other thread forks.
class TakenValues {
 public:
  // Each Variable once.
  explicit TakenValues(std::span<const Variable> variables);
  ~TakenValues();  // those that were not replaced go back as they were
  TakenValues(const TakenValues&) = delete;
  TakenValues& operator=(const TakenValues&) = delete;

  const std::vector<Tensor>& values() const { return values_; }
  // Gives up the old values: who has them now is their only holder, unless somebody read them.
  std::vector<Tensor> given_up() { return std::move(values_); }
  void put_back(TensorSpan values);
  // The same, of one of them.
  Tensor given_up(size_t i) { return std::move(values_[i]); }
  void put_back(size_t i, const Tensor& value);

 private:
  bool take_all();
  void put_back_taken();

  const ForkDelay whole_;
  const std::span<const Variable> variables_;
  std::vector<Tensor> values_;
};

// Applies an op of KernelKind::kUpdate. Its inputs are `scalars`, the first list of `places`,
// `gradients`, then the other lists of `places`, as long as `gradients` each; `places` are assigned
// the results. Outside of graphs the memory of a place is written if nobody else holds its value.
// No Variable may be there twice.
void assign_updated(const OpDef& op, TensorSpan scalars, TensorSpan gradients,
                    std::span<const Variable> places, Where where);

}  // namespace weft
