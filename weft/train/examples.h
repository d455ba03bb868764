// Examples: what a model is trained and measured with: rows of tensors, or a dataset of batches.
#pragma once

#include <vector>

#include "weft/base/shared.h"
#include "weft/core/tensor.h"

namespace weft {
namespace data {
class Dataset;
}

namespace train {

// One batch: inputs and targets, and the numbers of its rows, if they are known.
struct Batch {
  Tensors x, y;
  Tensor weight = {};                     // of each example, if there are weights
  Tensor numbers = {};                    // int64[count]
  std::vector<std::string> origins = {};  // where each was read, if that is known

  int64_t count() const;  // of examples
};

class Examples {
 public:
  Examples() = default;  // none
  // An example in each row. Without y the model's own result is the loss.
  // `weight` says how much each example counts in the loss; metrics count all alike.
  Examples(const Tensor& x, const Tensor& y = {}, const Tensor& weight = {});  // NOLINT
  // Several inputs of the model, several targets of the loss.
  Examples(std::vector<Tensor> x, std::vector<Tensor> y = {}, Tensor weight = {})  // NOLINT
      : x_(std::move(x)), y_(std::move(y)), weight_(std::move(weight)), are_rows_(true) {}
  // Of (x, y) or (x, y, weight), each a tensor or a tuple of them; or of x alone.
  Examples(const data::Dataset& dataset);  // NOLINT(google-explicit-constructor)

  bool defined() const { return are_rows_ || dataset_; }
  const data::Dataset* dataset() const { return dataset_.get(); }  // null: they are rows
  const std::vector<Tensor>& x() const { return x_; }
  const std::vector<Tensor>& y() const { return y_; }
  const Tensor& weight() const { return weight_; }

 private:
  std::vector<Tensor> x_, y_;
  Tensor weight_;
  bool are_rows_ = false;
  Shared<const data::Dataset> dataset_;
};

}  // namespace train
}  // namespace weft
