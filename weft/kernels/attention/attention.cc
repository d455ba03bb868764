// attention forwards: strips of queries, whose weights never leave the first cache.
#include "weft/kernels/attention/attention.h"

#include "weft/base/cpu.h"
#include "weft/base/thread_pool.h"
#include "weft/kernels/attention/problem.h"

namespace weft::kernels {
namespace {

// A task packs the keys it reads, block by block, for as many strips of queries as make that cheap;
// fewer if there would be too few tasks to share.
constexpr int64_t kMostStrips = 24, kLeastStrips = 8;
constexpr int64_t kTasksWanted = 16;
// Rows of scores lie a line further apart than a power of two, which would share sets of the cache.
constexpr int64_t kScoreRow = kKeyBlock + kScoreLanes;

template <class T>
struct Forward {
  AttentionProblem<T> problem;
  AttentionOut<T> to;
  static constexpr int64_t kLine = 64 / static_cast<int64_t>(sizeof(T));

  // Some queries of one matrix, at most kStripRows, from `first` on.
  struct Strip {
    int64_t matrix, first, rows;
    int64_t row;  // of the first query, counted over all matrices
  };
  // Consecutive strips of the matrices of one head.
  struct Task {
    int64_t head, begin, end;
  };
  // A block of keys and their values as the micro-kernels read them; they stay in the second cache
  // while strip by strip goes over them.
  struct Block {
    int64_t first, count;
    T *keys, *values;
  };

  int64_t strips_of_matrix() const { return ceil_div(problem.args.queries, kStripRows); }
  int64_t strips_of_head() const { return problem.args.groups * strips_of_matrix(); }

  Strip strip_at(const Task& task, int64_t index) const {
    const AttentionArgs<T>& a = problem.args;
    const int64_t matrix = task.head * a.groups + index / strips_of_matrix();
    const int64_t first = index % strips_of_matrix() * kStripRows;
    return {matrix, first, lesser(kStripRows, a.queries - first), matrix * a.queries + first};
  }
  int64_t keys_seen(const Strip& s) const { return problem.keys_seen(s.first + s.rows); }

  void pack(int64_t head, const Block& b) const {
    const AttentionArgs<T>& a = problem.args;
    const int64_t row = head * a.keys + b.first;
    problem.pack_rows(b.keys, a.k + row * a.features, b.count, a.features);
    problem.pack_columns(b.values, a.v + row * a.values, b.count, a.values, kKeyBlock);
  }

  // Asks for a share of the keys and values from `first` on, a line at a time, before they are
  // packed.
  void ask_for(int64_t head, int64_t first, int64_t share, int64_t shares) const {
    const AttentionArgs<T>& a = problem.args;
    const int64_t count = lesser(kKeyBlock, a.keys - first), row = head * a.keys + first;
    const auto rows = [&](const T* x, int64_t width) {
      const int64_t end = (row + count * (share + 1) / shares) * width;
      for (int64_t i = (row + count * share / shares) * width; i < end; i += kLine) {
        __builtin_prefetch(x + i, 0, 2);
      }
    };
    rows(a.k, a.features);
    rows(a.v, a.values);
  }

  // What the first `seen` keys of a block add to the strip's sums.
  void add_keys(const Strip& s, const Block& b, int64_t seen, T* products) const {
    const AttentionArgs<T>& a = problem.args;
    T* const out = to.out + s.row * a.values;
    problem.multiply({.rows = s.rows,
                      .cols = problem.whole_panels(seen, b.count),
                      .a = a.q + s.row * a.features,
                      .a_row = a.features,
                      .b = {b.keys, a.features},
                      .steps = a.features,
                      .c = products,
                      .c_row = kScoreRow});
    T shrink[kStripRows];
    problem.tools.softmax->step(
        {problem.scores(s.matrix, s.first, s.rows, b.first, seen, products, kScoreRow),
         to.greatest + s.row, to.total + s.row, shrink});
    for (int64_t i = 0; b.first > 0 && i < s.rows; ++i) {
      if (shrink[i] == T(1)) continue;
      problem.tools.softmax->scale_rows({1, a.values, out + i * a.values, shrink + i});
    }
    problem.multiply({.rows = s.rows,
                      .cols = a.values,
                      .a = products,
                      .a_row = kScoreRow,
                      .b = {b.values, b.count},
                      .steps = seen,
                      .c = out,
                      .c_row = a.values,
                      .flags = b.first > 0 ? unsigned{kAddToC} : 0u});
  }

  void begin(const Strip& s) const {
    std::fill_n(to.greatest + s.row, s.rows, static_cast<T>(-__builtin_inf()));
    std::fill_n(to.total + s.row, s.rows, T(0));
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

  void run(const Task& task) const {
    const AttentionArgs<T>& a = problem.args;
    const int64_t block = lesser(kKeyBlock, a.keys), slack = problem.tools.products->lanes;
    const int64_t sizes[] = {round_up(problem.padded(block) * a.features + slack, kScoreLanes),
                             round_up(block * problem.padded(a.values) + slack, kScoreLanes),
                             kStripRows * kScoreRow};
    const Workspace room((sizes[0] + sizes[1] + sizes[2]) * static_cast<int64_t>(sizeof(T)));
    T *const keys = room.as<T>(), *const values = keys + sizes[0];
    int64_t most_seen = 0;
    for (int64_t i = task.begin; i < task.end; ++i) {
      const Strip strip = strip_at(task, i);
      begin(strip);
      most_seen = greater(most_seen, keys_seen(strip));
    }
    for (int64_t key = 0; key < most_seen; key += kKeyBlock) {
      const Block b{key, lesser(kKeyBlock, a.keys - key), keys, values};
      pack(task.head, b);
      for (int64_t i = task.begin; i < task.end; ++i) {
        const Strip strip = strip_at(task, i);
        const int64_t seen = lesser(kKeyBlock, keys_seen(strip) - key);
        if (seen > 0) add_keys(strip, b, seen, values + sizes[1]);
        if (key + kKeyBlock < most_seen) {
          ask_for(task.head, key + kKeyBlock, i - task.begin, task.end - task.begin);
        }
      }
    }
    for (int64_t i = task.begin; i < task.end; ++i) finish(strip_at(task, i));
  }

  void run() const {
    const int64_t heads = problem.args.batch * problem.args.heads, strips = strips_of_head();
    const int64_t wanted =
        lesser(kMostStrips, greater(kLeastStrips, heads * strips / kTasksWanted));
    const int64_t parts = ceil_div(strips, wanted);
    parallel_for(heads * parts, [&](int64_t task) {
      // The last queries of a causal head see most: they begin first.
      const int64_t part = parts - 1 - task % parts;
      run({task / parts, strips * part / parts, strips * (part + 1) / parts});
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
