// The distinct elements of a tensor, by sorting it.
#include "weft/ops/sort/unique.h"

#include "weft/ops/math/operators.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

// Complex numbers by their real parts, then by their imaginary ones.
Tensor order_of(const Tensor& flat) {
  if (!is_complex(flat.dtype())) return argsort(flat, 0);
  const Tensor by_imag = argsort(imag(flat), 0);
  return gather(by_imag, argsort(gather(real(flat), by_imag, 0), 0), 0);
}

Tensor numbers(std::span<const int64_t> values, ShapeView shape) {
  return Tensor::from_bytes(DType::kI64, shape, std::as_bytes(values));
}
Tensor numbers(std::span<const int64_t> values) {
  return numbers(values, Shape{static_cast<int64_t>(values.size())});
}

}  // namespace

Distinct::Distinct(std::string_view op, const Tensor& x) : shape_(x.shape()) {
  if (!x.is_concrete()) {
    fail(Code::kInvalid, op, "concrete",
         "x is traced, but how many distinct elements it has decides a shape; call it on a "
         "concrete tensor");
  }
  flat_ = reshape(x, Shape{x.numel()});
  const Tensor order = order_of(flat_);
  order_ = order.to_vector<int64_t>();
  if (order_.empty()) return;
  const Tensor sorted = gather(flat_, order, 0);
  const Index all_but_last{{.start = {}, .stop = -1}}, all_but_first{{.start = 1, .stop = {}}};
  const Tensor before = slice(sorted, all_but_last);
  const std::vector<bool> differs = (slice(sorted, all_but_first) != before).to_vector<bool>();
  starts_.push_back(0);
  for (size_t i = 0; i < differs.size(); ++i) {
    if (differs[i]) starts_.push_back(static_cast<int64_t>(i) + 1);
  }
}

Tensor Distinct::indices() const {
  std::vector<int64_t> first;
  for (int64_t start : starts_) first.push_back(order_[static_cast<size_t>(start)]);
  return numbers(first);
}

Tensor Distinct::values() const { return gather(flat_, indices(), 0); }

Tensor Distinct::inverse() const {
  std::vector<int64_t> out(order_.size());
  int64_t group = -1;
  for (size_t i = 0, next = 0; i < order_.size(); ++i) {
    if (next < starts_.size() && starts_[next] == static_cast<int64_t>(i)) ++group, ++next;
    out[static_cast<size_t>(order_[i])] = group;
  }
  return numbers(out, shape_);
}

Tensor Distinct::counts() const {
  std::vector<int64_t> out;
  for (size_t i = 0; i < starts_.size(); ++i) {
    const int64_t end =
        i + 1 < starts_.size() ? starts_[i + 1] : static_cast<int64_t>(order_.size());
    out.push_back(end - starts_[i]);
  }
  return numbers(out);
}

}  // namespace weft
