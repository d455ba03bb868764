// row_batches: batches gathered ahead by a thread, each a source's element.
#include "weft/data/row_batches.h"

#include <algorithm>

#include "weft/data/source.h"

namespace weft::data {
namespace {

class RowBatches final : public IndexedNode {
 public:
  RowBatches(std::vector<Tensor> rows, const Tensor& order, int64_t batch_size, int64_t first)
      : IndexedNode("row_batches"),
        rows_(std::move(rows)),
        order_(contiguous(order)),
        form_(tuple_form(rows_.size())),
        batch_size_(batch_size),
        first_(first) {}

  int64_t size() const override {
    return std::max<int64_t>(0, (order_.numel() + batch_size_ - 1) / batch_size_ - first_);
  }
  // Rows lie anywhere in memory: those of small networks take a good part of a step to come.
  int workers() const override { return 1; }
  Element get(int64_t index) const override {
    const int64_t begin = (first_ + index) * batch_size_;
    const int64_t count = std::min(batch_size_, order_.numel() - begin);
    const std::span numbers(static_cast<const int64_t*>(order_.data()) + begin,
                            static_cast<size_t>(count));
    Element out;
    out.form = form_;
    out.leaves.reserve(rows_.size());
    for (const Tensor& one : rows_) out.leaves.emplace_back(gathered(one, numbers));
    return out;
  }

 private:
  const std::vector<Tensor> rows_;
  const Tensor order_;
  const Shared<const Form> form_;
  const int64_t batch_size_, first_;
};

}  // namespace

Dataset row_batches(std::vector<Tensor> rows, const Tensor& order, int64_t batch_size,
                    int64_t first) {
  return Dataset(new_shared<const RowBatches>(std::move(rows), order, batch_size, first));
}

}  // namespace weft::data
