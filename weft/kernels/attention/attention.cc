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

  // Some queries of one matrix, at most kStripRows, from `first` on.
  struct Strip {
    int64_t matrix, first, rows;
    int64_t row;  // of the first query, counted over all matrices
  };

  // What keys [key, key + count) add to the strip's sums.
  void add_keys(const Strip& s, int64_t key, int64_t count, const T* keys, T* products) const {
    const AttentionArgs<T>& a = problem.args;
    const int64_t block = lesser(kKeyBlock, a.keys - key);
    T* const out = to.out + s.row * a.values;
    problem.multiply({.rows = s.rows,
                      .cols = problem.whole_panels(count, block),
                      .a = a.q + s.row * a.features,
                      .a_row = a.features,
                      .b = {keys + key * a.features, a.features},
                      .steps = a.features,
                      .c = products,
                      .c_row = kScoreRow});
    T shrink[kStripRows];
    problem.tools.softmax->step(
        {problem.scores(s.matrix, s.first, s.rows, key, count, products, kScoreRow),
         to.greatest + s.row, to.total + s.row, shrink});
    for (int64_t i = 0; key > 0 && i < s.rows; ++i) {
      if (shrink[i] == T(1)) continue;
      problem.tools.softmax->scale_rows({1, a.values, out + i * a.values, shrink + i});
    }
    problem.multiply({.rows = s.rows,
                      .cols = a.values,
                      .a = products,
                      .a_row = kScoreRow,
                      .b = {keys + packed_keys() + key * problem.padded(a.values), block},
                      .steps = count,
                      .c = out,
                      .c_row = a.values,
                      .flags = key > 0 ? unsigned{kAddToC} : 0u});
  }

  void finish(const Strip& s) const {
    const int64_t values = problem.args.values;
    T scale[kStripRows];
    for (int64_t i = 0; i < s.rows; ++i) {
      const T total = to.total[s.row + i];
      scale[i] = 1 / (total == T(0) ? T(1) : total);
      to.greatest[s.row + i] *= T(0x1.62e42fefa39efp-1);  // ln 2: it was counted in powers of two
    }
    problem.tools.softmax->scale_rows({s.rows, values, to.out + s.row * values, scale});
  }

  // Strip by strip for each block of keys, which stays in the second cache meanwhile.
  void queries(int64_t matrix, int64_t first, int64_t count, const T* keys) const {
    const Workspace products(kStripRows * kScoreRow * static_cast<int64_t>(sizeof(T)));
    const int64_t end = first + count, row = matrix * problem.args.queries;
    std::fill_n(to.greatest + row + first, count, static_cast<T>(-__builtin_inf()));
    std::fill_n(to.total + row + first, count, T(0));
    const auto strip_at = [&](int64_t i) {
      return Strip{matrix, i, lesser(kStripRows, end - i), row + i};
    };
    for (int64_t key = 0; key < problem.keys_seen(end); key += kKeyBlock) {
      for (int64_t i = first; i < end; i += kStripRows) {
        const Strip strip = strip_at(i);
        const int64_t seen = lesser(kKeyBlock, problem.keys_seen(i + strip.rows) - key);
        if (seen > 0) add_keys(strip, key, seen, keys, products.as<T>());
      }
    }
    for (int64_t i = first; i < end; i += kStripRows) finish(strip_at(i));
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
