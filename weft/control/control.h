// Control flow that graphs can hold: conditions and loops over functions.
//
//   const Tensor y = cond(x > 0.0, [&] { return exp(x); }, [&] { return x + 1.0; });
//   const auto [i, r] = while_loop([&](Tensor i, Tensor r) { return i < n; },
//                                  [&](Tensor i, Tensor r) { return std::tuple(i + 1, r * x); },
//                                  std::tuple(Tensor(0), Tensor(1.0)));
//   const auto [last, all] = scan([](Tensor sum, Tensor x) { return std::pair(sum + x, sum + x); },
//                                 Tensor(0.0), xs);
//   const Tensor z = switch_case(i, std::tuple([&] { return sin(x); }, [&] { return cos(x); }));
//   const Tensor p = fori_loop(0, n, [&](Tensor, Tensor r) { return r * x; }, Tensor(1.0));
//   const Tensor rows = map([](Tensor row) { return sum(row); }, xs);
//
// In a graph or a traced function they become ops, differentiable in both modes to any order, and
// batched by vmap; what their functions read from around them counts as an input. Elsewhere they
// run now.
#pragma once

#include "weft/transform/adapt.h"

namespace weft {

using FlatFunctions = std::span<const FlatFunction>;

// On flat lists. The branch whose number is `index`; the last one if there is none of that number.
Tensors switch_flat(const Tensor& index, FlatFunctions branches, TensorSpan operands,
                    std::string_view who, Where where);
Tensors cond_flat(const Tensor& pred, FlatFunction then, FlatFunction otherwise,
                  TensorSpan operands, Where where);

struct WhileOptions {
  // Of what the loop carries, this much is kept for a backward pass.
  int64_t max_saved_bytes = int64_t{256} << 20;
};
Tensors while_flat(FlatFunction cond, FlatFunction body, TensorSpan init,
                   const WhileOptions& options, Where where);

struct ScanOptions {
  std::optional<int64_t> length = {};  // needed only if there is nothing to go through
  bool reverse = false;
};
// `body` takes what is carried, then a row of each of `xs`; it gives the same number of carried
// values, then a row of each result.
struct ScanResult {
  Tensors carry, rows;
};
ScanResult scan_flat(FlatFunction body, TensorSpan init, TensorSpan xs, const ScanOptions& options,
                     Where where);

// `f` of a row of each of `xs`, for all rows: its results, stacked.
Tensors map_flat(FlatFunction f, TensorSpan xs, Where where);

// `body` takes the number of the step, then what is carried, and gives what is carried on. Bounds
// that are numbers make a scan; of others only the run knows the number of steps.
Tensors fori_flat(int64_t lower, int64_t upper, FlatFunction body, TensorSpan init, Where where);
Tensors fori_flat(const Tensor& lower, const Tensor& upper, FlatFunction body, TensorSpan init,
                  Where where);

}  // namespace weft
