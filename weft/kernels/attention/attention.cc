// attention forwards: strips of queries, whose weights never leave the first cache.
#include "weft/kernels/attention/attention.h"

#include "weft/base/cpu.h"
#include "weft/base/thread_pool.h"
#include "weft/kernels/attention/problem.h"

namespace weft::kernels {
namespace {

constexpr int64_t kTaskQueries = 8 * kStripRows;
// Rows of scores lie a line further apart than a power of two, which would share sets of the cache.
constexpr int64_t kScoreRow = kKeyBlock + kScoreLanes;

template <class T>
struct Forward {
  AttentionProblem<T> problem;
  AttentionOut<T> to;

  // Of one head.
  int64_t packed_keys() const {
    return round_up(
        problem.padded(problem.args.keys) * problem.args.features + problem.tools.products->lanes,
        kScoreLanes);
  }
  int64_t packed_size() const {
    return packed_keys() + round_up(problem.args.keys * problem.padded(problem.args.values) +
                                        problem.tools.products->lanes,
                                    kScoreLanes);
  }
  void pack(int64_t head, T* to_keys) const {
    const AttentionArgs<T>& a = problem.args;
    problem.pack_rows(to_keys, a.k + head * a.keys * a.features, a.keys, a.features);
    problem.pack_columns(to_keys + packed_keys(), a.v + head * a.keys * a.values, a.keys, a.values,
                         kKeyBlock);
  }

  // Queries [first, first + rows) of one matrix, at most kStripRows.
  void strip(int64_t matrix, int64_t first, int64_t rows, const T* keys, T* products) const {
    const AttentionArgs<T>& a = problem.args;
    const int64_t row = matrix * a.queries + first, seen = problem.keys_seen(first + rows);
    T* const out = to.out + row * a.values;
    T* const greatest = to.greatest + row;
    T* const total = to.total + row;
    const T* const values = keys + packed_keys();
    T shrink[kStripRows];
    std::fill_n(greatest, rows, static_cast<T>(-__builtin_inf()));
    std::fill_n(total, rows, T(0));
    for (int64_t key = 0; key < seen; key += kKeyBlock) {
      const int64_t count = lesser(kKeyBlock, seen - key);
      const int64_t block = lesser(kKeyBlock, a.keys - key);
      problem.multiply({.rows = rows,
                        .cols = problem.whole_panels(count, block),
                        .a = a.q + row * a.features,
                        .a_row = a.features,
                        .b = {keys + key * a.features, a.features},
                        .steps = a.features,
                        .c = products,
                        .c_row = kScoreRow});
      problem.tools.softmax->step(
          {problem.scores(matrix, first, rows, key, count, products, kScoreRow), greatest, total,
           shrink});
      if (key > 0 && std::any_of(shrink, shrink + rows, [](T x) { return x != T(1); })) {
        problem.tools.softmax->scale_rows({rows, a.values, out, shrink});
      }
      problem.multiply({.rows = rows,
                        .cols = a.values,
                        .a = products,
                        .a_row = kScoreRow,
                        .b = {values + key * problem.padded(a.values), block},
                        .steps = count,
                        .c = out,
                        .c_row = a.values,
                        .flags = key > 0 ? unsigned{kAddToC} : 0u});
    }
    for (int64_t i = 0; i < rows; ++i) shrink[i] = 1 / (total[i] == T(0) ? T(1) : total[i]);
    problem.tools.softmax->scale_rows({rows, a.values, out, shrink});
  }

  void queries(int64_t matrix, int64_t first, int64_t count, const T* keys) const {
    const Workspace products(kStripRows * kScoreRow * static_cast<int64_t>(sizeof(T)));
    for (int64_t i = first; i < first + count; i += kStripRows) {
      strip(matrix, i, lesser(kStripRows, first + count - i), keys, products.as<T>());
    }
  }

  // A head whose queries are one task packs its keys itself, while they are in cache.
  void run() const {
    const AttentionArgs<T>& a = problem.args;
    const int64_t heads = a.batch * a.heads, parts = ceil_div(a.queries, kTaskQueries);
    const int64_t bytes = packed_size() * static_cast<int64_t>(sizeof(T));
    if (a.groups * parts == 1) {
      return parallel_for(heads, [&](int64_t head) {
        const Workspace packed(bytes);
        pack(head, packed.as<T>());
        queries(head, 0, a.queries, packed.as<T>());
      });
    }
    const Workspace packed(heads * bytes);
    parallel_for(heads, [&](int64_t head) { pack(head, packed.as<T>() + head * packed_size()); });
    parallel_for(heads * a.groups * parts, [&](int64_t task) {
      // The last queries of a causal head see most: they begin first.
      const int64_t matrix = task / parts, first = (parts - 1 - task % parts) * kTaskQueries;
      queries(matrix, first, lesser(kTaskQueries, a.queries - first),
              packed.as<T>() + matrix / a.groups * packed_size());
    });
  }
};

struct Tiers {
  const Tier* product;
  const AttentionTier* softmax;
};

Tiers current_tiers() {
#if defined(__x86_64__)
  switch (current_isa()) {
    case Isa::avx2: return {&avx2::kTier, &avx2::kAttentionTier};
    case Isa::avx512: return {&avx512::kTier, &avx512::kAttentionTier};
    case Isa::portable: break;
  }
#endif
  return {&portable::kTier, &portable::kAttentionTier};
}

}  // namespace

template <>
AttentionTools<float> attention_tools() {
  const Tiers tiers = current_tiers();
  return {&tiers.product->f32, &tiers.product->storage[kAsF32], &tiers.softmax->f32};
}
template <>
AttentionTools<double> attention_tools() {
  const Tiers tiers = current_tiers();
  return {&tiers.product->f64, &tiers.product->storage[kAsF64], &tiers.softmax->f64};
}

template <class T>
void attention(const AttentionArgs<T>& args, const AttentionOut<T>& out) {
  Forward<T>{{args, attention_tools<T>()}, out}.run();
}
template void attention(const AttentionArgs<float>&, const AttentionOut<float>&);
template void attention(const AttentionArgs<double>&, const AttentionOut<double>&);

}  // namespace weft::kernels
