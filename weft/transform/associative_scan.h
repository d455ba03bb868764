// associative_scan: running combinations along an axis, by a function of the user's.
//
//   auto [a, b] = associative_scan(
//       [](Pair left, Pair right) { return Pair{right.a * left.a, right.a * left.b + right.b}; },
//       xs);
#pragma once

#include "weft/base/function_ref.h"
#include "weft/transform/tree.h"

namespace weft {

using CombineTensors = FunctionRef<Tensors(TensorSpan left, TensorSpan right)>;

// On the leaves of trees; raises [associative_scan.empty], [.axis], [.size] and [.combine].
Tensors scan_tensors(CombineTensors combine, TensorSpan xs, int64_t axis, bool reverse,
                     Where where);

// out[i] = combine(.. combine(xs[0], xs[1]) .., xs[i]) along `axis` of every tensor in the tree
// `xs`, or from the end if `reverse`. `combine` works on slices, many at once; it must be
// associative and keep the tree and its shapes. In log2(n) steps, by odd and even places: the order
// depends on the size alone.
template <class T, class F>
T associative_scan(F&& combine, const T& xs, int64_t axis = 0, bool reverse = false,
                   Where where = Where::here()) {
  const auto rebuilt = [&](TensorSpan leaves) {
    const Tensor* next = leaves.data();
    return Tree<T>::rebuild(xs, next);
  };
  Tensors leaves;
  Tree<T>::flatten(xs, leaves);
  const auto on_leaves = [&](TensorSpan left, TensorSpan right) {
    Tensors out;
    Tree<T>::flatten(combine(rebuilt(left), rebuilt(right)), out);
    return out;
  };
  const Tensors out =
      scan_tensors(on_leaves, TensorSpan(leaves.data(), leaves.size()), axis, reverse, where);
  return rebuilt(TensorSpan(out.data(), out.size()));
}

}  // namespace weft
