// associative_scan on the leaves of trees: combine neighbours, scan those, and fill in between.
#include "weft/transform/associative_scan.h"

#include "weft/op/op.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

struct Scan {
  CombineTensors combine;
  Ints axes;  // of each tensor, counted from 0
  Where where;

  static TensorSpan span(const Tensors& xs) { return {xs.data(), xs.size()}; }

  // xs[start:stop:step] along the axis.
  Tensors part(const Tensors& xs, int64_t start, std::optional<int64_t> stop, int64_t step) const {
    Tensors out;
    for (size_t i = 0; i < xs.size(); ++i) {
      Index index(static_cast<size_t>(axes[i]));
      index.push_back({.start = start, .stop = stop, .step = step});
      out.push_back(slice(xs[i], index, where));
    }
    return out;
  }

  Tensors joined(const Tensors& a, const Tensors& b) const {
    Tensors out;
    for (size_t i = 0; i < a.size(); ++i) out.push_back(concat(inputs(a[i], b[i]), axes[i], where));
    return out;
  }

  Tensors combined(const Tensors& left, const Tensors& right) const {
    Tensors out = combine(span(left), span(right));
    if (out.size() != left.size()) {
      fail(Code::kInvalid, "associative_scan", "combine", "the function gives ", out.size(),
           " tensors for ", left.size(), "; it must give as many as it takes");
    }
    for (size_t i = 0; i < out.size(); ++i) {
      if (same(out[i].shape(), left[i].shape()) != Tri::kNo && out[i].dtype() == left[i].dtype()) {
        continue;
      }
      fail(Code::kInvalid, "associative_scan", "combine", "the function gives ",
           text(out[i].type()), " for ", text(left[i].type()), "; it must keep types");
    }
    return out;
  }

  // even[0], odd[0], even[1], ...; even may have one more.
  Tensors interleaved(const Tensors& even, const Tensors& odd, int64_t n) const {
    const Tensors head = n % 2 == 0 ? even : part(even, 0, n / 2, 1);
    Tensors out;
    for (size_t i = 0; i < head.size(); ++i) {
      Shape shape(head[i].shape());
      shape[static_cast<size_t>(axes[i])] = n / 2 * 2;
      out.push_back(reshape(stack(inputs(head[i], odd[i]), axes[i] + 1, where), shape, where));
    }
    return n % 2 == 0 ? out : joined(out, part(even, n / 2, {}, 1));
  }

  Tensors operator()(const Tensors& xs, int64_t n) const {
    if (n < 2) return xs;
    const Tensors seconds = part(xs, 1, {}, 2);
    const Tensors pairs = combined(part(xs, 0, n / 2 * 2, 2), seconds);
    const Tensors odd = (*this)(pairs, n / 2);
    if (n == 2) return joined(part(xs, 0, 1, 1), odd);
    const Tensors later = part(xs, 2, {}, 2);
    const Tensors between = combined(n % 2 == 0 ? part(odd, 0, -1, 1) : odd, later);
    return interleaved(joined(part(xs, 0, 1, 1), between), odd, n);
  }
};

}  // namespace

Tensors scan_tensors(CombineTensors combine, TensorSpan xs, int64_t axis, bool reverse,
                     Where where) {
  const InferCtx cx{"associative_scan"};
  cx.require(!xs.empty(), "empty", "there are no tensors to scan; give a tree with at least one");
  const Dim first = xs[0].dim(cx.axis(axis, xs[0].shape()));
  Ints axes;
  for (const Tensor& x : xs) {
    axes.push_back(cx.axis(axis, x.shape()));
    const Dim size = x.dim(axis);
    cx.require(size.is_known() && size == first, "size", "axis ", axis, " has size ", first,
               " and ", size, "; all tensors have one known size along it");
  }
  const auto flipped = [&](TensorSpan given) {
    Tensors out;
    for (size_t i = 0; i < given.size(); ++i) {
      out.push_back(reverse ? flip(given[i], Ints{axes[i]}, where) : given[i]);
    }
    return out;
  };
  const Tensors out = Scan{combine, axes, where}(flipped(xs), first.value());
  return flipped(TensorSpan(out.data(), out.size()));
}

}  // namespace weft
