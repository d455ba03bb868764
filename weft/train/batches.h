// Batches of examples, in an order that can be taken up again.
#pragma once

#include <memory>
#include <optional>

#include "weft/io/checkpoint/state.h"
#include "weft/train/examples.h"

namespace weft::train {

struct FitOptions;

// One pass over the examples.
class Pass {
 public:
  virtual ~Pass() = default;
  virtual bool next(Batch& out) = 0;
  // Where it stands; null if the number of batches tells.
  virtual std::unique_ptr<SavedState> position() const { return nullptr; }
};

class Batches {
 public:
  virtual ~Batches() = default;
  virtual int64_t length() const = 0;               // -1: not known
  virtual int64_t batch_size() const { return 0; }  // 0: the source has its own
  virtual int64_t rows() const { return -1; }       // -1: not known
  // Do they come in an order that a key is drawn for?
  virtual bool are_shuffled() const { return false; }
  // The batches from the `first` one on; `order` is undefined, or a key that the order of rows is
  // drawn from; `position` is that of an earlier pass that goes on here.
  virtual std::unique_ptr<Pass> pass(const Tensor& order, int64_t first,
                                     const SavedState* position) const = 0;
  std::unique_ptr<Pass> pass() const { return pass({}, 0, nullptr); }
};

// Of 32 rows unless told. Raises [who.rows], [who.batch_size].
std::unique_ptr<Batches> batches_of(const Examples& examples, std::optional<int64_t> batch_size,
                                    std::string_view who);
// Raises [fit.epochs], [fit.initial_epoch], [fit.shuffle], [fit.batch_size] and
// [fit.validation_split] of options that these examples do not heed, or contradict each other.
void need_sense(const Examples& examples, const FitOptions& options);
// Raises [who.batches]: a source had none.
[[noreturn]] void fail_nothing(std::string_view who, std::string_view verb);
// The first rows, and the last `part` of them; raises [fit.validation_split].
std::pair<Examples, Examples> split_rows(const Examples& examples, double part);

}  // namespace weft::train
