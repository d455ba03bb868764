// row_batches: batches gathered ahead by a thread, each a source's element.
#include "weft/data/row_batches.h"

#include <algorithm>

#include "weft/data/source.h"

namespace weft::data {
namespace {

constexpr int64_t kWorthAThread = int64_t{1} << 15;

class RowBatches final : public IndexedNode {
 public:
  RowBatches(std::vector<Tensor> rows, const Tensor& order, int64_t batch_size, int64_t first)
      : IndexedNode("row_batches"),
        rows_(std::move(rows)),
        order_(contiguous(order)),
        form_(tuple_form(rows_.size())),
        batch_size_(batch_size),
        first_(first) {
    for (const Tensor& one : rows_) {
      bytes_ += one.numel() * size_of(one.dtype()) / std::max<int64_t>(1, order_.numel());
    }
    bytes_ *= batch_size_;
  }

  int64_t size() const override {
    return std::max<int64_t>(0, (order_.numel() + batch_size_ - 1) / batch_size_ - first_);
  }
  // Rows lie anywhere in memory: those of a batch may take a tenth of a small network's step to
  // come. A few are sooner here than handed over.
  int workers() const override { return bytes_ < kWorthAThread ? 0 : 1; }
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
  int64_t bytes_ = 0;  // of a batch
};

}  // namespace

Dataset row_batches(std::vector<Tensor> rows, const Tensor& order, int64_t batch_size,
                    int64_t first) {
  return Dataset(new_shared<const RowBatches>(std::move(rows), order, batch_size, first));
}

}  // namespace weft::data
