// Rows of tensors and elements of datasets, as batches.
#include "weft/train/batches.h"

#include <algorithm>
#include <optional>

#include "weft/base/error.h"
#include "weft/data/row_batches.h"
#include "weft/op/concrete_value.h"
#include "weft/ops/random/random.h"
#include "weft/ops/shape/advanced_index.h"
#include "weft/ops/shape/shape_ops.h"
#include "weft/train/class_weights.h"
#include "weft/train/model.h"

namespace weft::train {
namespace {

Tensor rows_of(const Tensor& x, int64_t first, int64_t end) {
  return index(x, {Range{first, end}});
}

// The value in memory; an undefined tensor stays undefined.
Tensor value_of(const Tensor& given, std::string_view who, std::string_view name) {
  return given.defined() ? concrete_value(given, {who, name}) : given;
}
std::vector<Tensor> values_of(std::vector<Tensor> given, std::string_view who,
                              std::string_view name) {
  for (Tensor& one : given) one = value_of(one, who, name);
  return given;
}

// Tensors with an example in each row.
class Rows final : public Batches {
 public:
  Rows(const Examples& examples, int64_t batch_size, std::string_view who)
      : x_(values_of(examples.x(), who, "x")),
        y_(values_of(examples.y(), who, "y")),
        weight_(value_of(examples.weight(), who, "sample_weight")),
        batch_size_(batch_size) {
    if (batch_size < 1) {
      fail(Code::kInvalid, who, "batch_size", "batch_size is ", batch_size, "; it is 1 or more");
    }
    if (x_.empty()) fail_rows(who);
    for (const std::vector<Tensor>* const part : {&x_, &y_}) {
      for (const Tensor& one : *part) check(one, who);
    }
    if (weight_.defined()) {
      check(weight_, who);
      need_weights(weight_, who);
    }
    if (count_ > 0) return;
    fail(Code::kInvalid, who, "rows", "there are no rows to ",
         who == "fit" ? "train with" : (who == "predict" ? "compute" : "evaluate"));
  }

  int64_t length() const override { return (count_ + batch_size_ - 1) / batch_size_; }
  int64_t batch_size() const override { return batch_size_; }
  int64_t rows() const override { return count_; }
  bool are_shuffled() const override { return true; }
  std::unique_ptr<Pass> pass(const Tensor& order, int64_t first, const SavedState*) const override;

 private:
  class RowsPass;
  [[noreturn]] static void fail_rows(std::string_view who) {
    fail(Code::kInvalid, who, "rows", "x and y need an example in each row");
  }
  void check(const Tensor& part, std::string_view who) {
    if (!part.defined() || part.rank() == 0) fail_rows(who);
    const int64_t rows = part.dim(0).value();
    if (count_ < 0) count_ = rows;
    if (rows == count_) return;
    fail(Code::kInvalid, who, "rows", "there are ", count_, " rows in x, but ", rows,
         " in another part; each row is one example");
  }

  const std::vector<Tensor> x_, y_;
  const Tensor weight_;  // of the examples; undefined: all count alike
  const int64_t batch_size_;
  int64_t count_ = -1;
};

class Rows::RowsPass final : public Pass {
 public:
  RowsPass(const Rows& rows, const Tensor& key, int64_t first)
      : rows_(rows),
        order_(key.defined() ? random::permutation(key, rows.count_) : Tensor()),
        next_(first),
        gathered_(gathered_ahead()) {}

  bool next(Batch& out) override {
    if (next_ >= rows_.length()) return false;
    const int64_t first = next_ * rows_.batch_size_;
    const int64_t end = std::min(first + rows_.batch_size_, rows_.count_);
    ++next_;
    out = {};
    out.numbers = order_.defined() ? rows_of(order_, first, end) : arange(first, end, 1);
    if (gathered_) return next_gathered(out);
    const auto chosen = [&](const Tensor& x) {
      return order_.defined() ? take(x, out.numbers, 0) : rows_of(x, first, end);
    };
    for (const Tensor& x : rows_.x_) out.x.push_back(chosen(x));
    for (const Tensor& y : rows_.y_) out.y.push_back(chosen(y));
    if (rows_.weight_.defined()) out.weight = chosen(rows_.weight_);
    return true;
  }

 private:
  // Rows in one piece, which most are.
  std::optional<data::Iterator> gathered_ahead() const {
    std::vector<Tensor> all = rows_.x_;
    all.insert(all.end(), rows_.y_.begin(), rows_.y_.end());
    if (rows_.weight_.defined()) all.push_back(rows_.weight_);
    if (!order_.defined() || !std::ranges::all_of(all, data::has_whole_rows)) return std::nullopt;
    return data::row_batches(std::move(all), order_, rows_.batch_size_, next_).iterator();
  }
  bool next_gathered(Batch& out) {
    data::Element element;
    if (!gathered_->next(element)) return false;
    const size_t inputs = rows_.x_.size(), pairs = inputs + rows_.y_.size();
    for (size_t i = 0; i < pairs; ++i) (i < inputs ? out.x : out.y).push_back(element[i]);
    if (element.size() > pairs) out.weight = element[pairs];
    return true;
  }

  const Rows& rows_;
  const Tensor order_;
  int64_t next_;
  std::optional<data::Iterator> gathered_;
};

std::unique_ptr<Pass> Rows::pass(const Tensor& order, int64_t first, const SavedState*) const {
  return std::make_unique<RowsPass>(*this, order, first);
}

// A dataset gives its batches itself.
class OfDataset final : public Batches {
 public:
  OfDataset(const data::Dataset& dataset, std::string_view who) : dataset_(dataset), who_(who) {}

  int64_t length() const override {
    const int64_t known = dataset_.cardinality();
    return known == data::kInfinite || known == data::kUnknown ? -1 : known;
  }
  std::unique_ptr<Pass> pass(const Tensor&, int64_t first,
                             const SavedState* position) const override;

 private:
  class DatasetPass;
  const data::Dataset dataset_;
  const std::string who_;
};

class OfDataset::DatasetPass final : public Pass {
 public:
  DatasetPass(const data::Dataset& dataset, std::string who)
      : iterator_(dataset.iterator()), who_(std::move(who)) {}

  void go_on(const SavedState& position) { iterator_.load_state_dict(position.tensors()); }

  // A tuple of two is (x, y), one of three (x, y, weight); anything else is x.
  bool next(Batch& out) override {
    data::Element element;
    if (!iterator_.next(element)) return false;
    out = {};
    const data::Form& form = *element.form;
    const size_t parts = form.kind == data::Form::Kind::kTuple ? form.children.size() : 0;
    const bool is_pair = parts == 2 || parts == 3;
    const size_t inputs = is_pair ? form.children[0]->leaf_count() : element.size();
    const size_t pairs = parts == 3 ? inputs + form.children[1]->leaf_count() : element.size();
    if (pairs + 1 < element.size()) {
      fail(Code::kInvalid, who_, "sample_weight", "the third part of a batch has ",
           element.size() - pairs, " tensors; (x, y, weight) has one of weights");
    }
    for (size_t i = 0; i < element.size(); ++i) {
      if (element.leaves[i].is_text()) {
        fail(Code::kType, who_, "batch", "part ", i, " of a batch is ",
             data::to_string(element.leaves[i]), "; models compute with tensors: map the texts");
      }
      if (i < pairs) (i < inputs ? out.x : out.y).push_back(element[i]);
    }
    if (pairs < element.size()) {
      out.weight = element[pairs];
      need_weights(out.weight, who_);
    }
    name_rows(out);
    if (out.x.size() == 1 && out.y.size() <= 1) need_batch(out);
    return true;
  }

  std::unique_ptr<SavedState> position() const override {
    return std::make_unique<SavedState>(iterator_.state_dict());
  }

 private:
  // Single examples instead of batches show by their shapes: a number as target, or x and y of one
  // axis and other lengths.
  void need_batch(const Batch& batch) const {
    const Tensor& x = batch.x[0];
    const Tensor y = batch.y.empty() ? Tensor() : batch.y[0];
    const bool are_vectors = y.defined() && x.rank() == 1 && y.rank() == 1;
    const bool is_single = x.rank() == 0 || (y.defined() && y.rank() == 0) ||
                           (are_vectors && same(x.shape(), y.shape()) == Tri::kNo);
    if (!is_single) return;
    const std::string also = y.defined() ? text(" and y of ", y.shape()) : "";
    fail(Code::kInvalid, who_, "batch", "x has the shape ", x.shape(), also,
         ", as one example has it; models take batches: write dataset.batch(32)");
  }

  void name_rows(Batch& out) const {
    if (iterator_.rows() == nullptr) return;
    const std::vector<int64_t>& numbers = iterator_.rows()->numbers;
    if (!numbers.empty()) {
      const Shape shape{Dim(static_cast<int64_t>(numbers.size()))};
      out.numbers = Tensor::from_bytes(DType::kI64, shape, std::as_bytes(std::span(numbers)));
    }
    for (const auto& one : iterator_.rows()->origins) {
      out.origins.push_back(one == nullptr ? "" : data::to_string(*one));
    }
  }

  data::Iterator iterator_;
  const std::string who_;
};

std::unique_ptr<Pass> OfDataset::pass(const Tensor&, int64_t first,
                                      const SavedState* position) const {
  auto out = std::make_unique<DatasetPass>(dataset_, who_);
  if (position != nullptr) {
    out->go_on(*position);
    // That pass had come to its end: the next one follows it.
    if (first == 0) out = std::make_unique<DatasetPass>(dataset_, who_);
  }
  return out;
}

[[noreturn]] void fail_batch_size(std::string_view who, int64_t given) {
  fail(Code::kInvalid, who, "batch_size", "batch_size is ", given,
       ", and the dataset gives batches itself; write dataset.batch(", given, ")");
}

}  // namespace

int64_t Batch::count() const {
  for (const Tensor& one : x) {
    if (one.rank() > 0) return one.dim(0).value();
  }
  fail(Code::kInvalid, "fit", "rows", "a batch has no rows; x needs an example in each row");
}

Examples::Examples(const Tensor& x, const Tensor& y, const Tensor& weight)
    : x_{x}, weight_(weight), are_rows_(true) {
  if (y.defined()) y_.push_back(y);
}

Examples::Examples(const data::Dataset& dataset)
    : dataset_(new_shared<const data::Dataset>(dataset)) {}

std::unique_ptr<Batches> batches_of(const Examples& examples, std::optional<int64_t> batch_size,
                                    std::string_view who) {
  if (examples.dataset() == nullptr) {
    return std::make_unique<Rows>(examples, batch_size.value_or(32), who);
  }
  if (batch_size) fail_batch_size(who, *batch_size);
  return std::make_unique<OfDataset>(*examples.dataset(), who);
}

void need_sense(const Examples& examples, const FitOptions& options) {
  const auto need_count = [](std::string_view name, int64_t given, int64_t least) {
    if (given >= least) return;
    fail(Code::kInvalid, "fit", name, name, " is ", given, "; it is a number of epochs, ", least,
         " or more");
  };
  need_count("epochs", options.epochs, 1);
  need_count("initial_epoch", options.initial_epoch, 0);
  if (options.initial_epoch >= options.epochs) {
    fail(Code::kInvalid, "fit", "epochs", "initial_epoch is ", options.initial_epoch,
         ", but training ends before epoch ", options.epochs,
         ", which epochs says; it counts those that are done, too");
  }
  if (options.validation_split != 0 && options.validation_data.defined()) {
    fail(Code::kInvalid, "fit", "validation_split",
         "there are validation_data and a validation_split; give one of them");
  }
  const bool are_rows = examples.dataset() == nullptr;
  const bool are_rows_kept =
      options.validation_data.defined() && options.validation_data.dataset() == nullptr;
  if (options.batch_size && !are_rows && !are_rows_kept) {
    fail_batch_size("fit", *options.batch_size);
  }
  if (options.shuffle.value_or(false) && !are_rows) {
    fail(Code::kInvalid, "fit", "shuffle",
         "shuffle = true puts rows in memory into a new order, and the dataset gives batches "
         "itself; write dataset.shuffle() before batch()");
  }
}

void fail_nothing(std::string_view who, std::string_view verb) {
  fail(Code::kInvalid, who, "batches", "the dataset has no batch to ", verb, " with");
}

std::pair<Examples, Examples> split_rows(const Examples& examples, double part) {
  if (!(0 < part && part < 1) || examples.dataset() != nullptr) {
    fail(Code::kInvalid, "fit", "validation_split", "validation_split is ", part,
         examples.dataset() != nullptr ? " of a dataset; give validation_data"
                                       : "; it lies between 0 and 1");
  }
  const Rows checked(examples, 1, "fit");
  const int64_t count = checked.length();
  const int64_t kept = count - static_cast<int64_t>(static_cast<double>(count) * part);
  if (kept == count) {
    fail(Code::kInvalid, "fit", "validation_split", "validation_split is ", part,
         ", which is none of ", count, " rows; make it greater");
  }
  std::vector<Tensor> x[2], y[2];
  for (const Tensor& one : examples.x()) {
    x[0].push_back(rows_of(one, 0, kept));
    x[1].push_back(rows_of(one, kept, count));
  }
  for (const Tensor& one : examples.y()) {
    y[0].push_back(rows_of(one, 0, kept));
    y[1].push_back(rows_of(one, kept, count));
  }
  Tensor weight[2];
  if (examples.weight().defined()) {
    weight[0] = rows_of(examples.weight(), 0, kept);
    weight[1] = rows_of(examples.weight(), kept, count);
  }
  return {Examples(x[0], y[0], weight[0]), Examples(x[1], y[1], weight[1])};
}

}  // namespace weft::train
