// The passes of a plan, and Bluestein's convolution out of two transforms.
#include "weft/kernels/fft/transform.h"

#include <algorithm>
#include <cmath>

#include "weft/base/checked.h"
#include "weft/kernels/scratch.h"
#include "weft/kernels/tasks.h"

namespace weft::kernels::fft {
namespace {

// Numbers of working memory.
template <class T>
class Numbers {
 public:
  explicit Numbers(int64_t count)
      : scratch_(checked_mul(count, static_cast<int64_t>(sizeof(T)))),
        data_(reinterpret_cast<T*>(scratch_.data())) {}
  T* data() const { return data_; }

 private:
  Scratch scratch_;
  T* data_;
};

int64_t rounded_up(int64_t n, int64_t unit) { return (n + unit - 1) / unit * unit; }

template <class T>
void run(const Kernels<T>& kernels, const Pass<T>& pass, bool tasks) {
  const int64_t lanes = kernels.lanes, groups = (pass.count + lanes - 1) / lanes;
  const double ns = 2 * static_cast<double>(pass.n) * std::log2(static_cast<double>(pass.n) + 1);
  in_tasks(groups, tasks ? ns : 0, [&](int64_t begin, int64_t end) {
    const Numbers<T> work(4 * lanes * rounded_up(pass.n, lanes));
    kernels.run(pass, begin, end, work.data());
  });
}

template <class T>
Pass<T> pass_along(const std::vector<Stage<T>>& stages, int64_t n, int64_t count) {
  Pass<T> pass{};
  pass.stages = stages.data();
  pass.num_stages = static_cast<int64_t>(stages.size());
  pass.n = n;
  pass.count = count;
  return pass;
}

// With both parts exchanged before and after, a forward transform is an inverse one.
template <class T>
void transform_direct(const Kernels<T>& kernels, const Plan<T>& plan, View<T> from, View<T> to,
                      const How<T>& how) {
  const bool matrix = plan.cols > 1;
  Pass<T> down = pass_along(plan.down, plan.rows, matrix ? plan.cols : how.lines);
  down.exchange_from = how.inverse;
  if (!matrix) {
    down.from = from.data;
    down.from_step = from.element;
    down.to = to.data;
    down.to_step = to.element;
    down.scale = how.scale;
    down.exchange_to = how.inverse;
    return run(kernels, down, how.in_tasks);
  }
  const int64_t step = 2 * rounded_up(plan.cols, kernels.lanes);
  const Numbers<T> between(checked_mul(plan.rows, step));
  Pass<T> along = pass_along(plan.along, plan.cols, plan.rows);
  down.from_step = 2 * plan.cols;
  down.to_matrix = along.from_matrix = true;
  down.turns_re = plan.turns_re.data();
  down.turns_im = plan.turns_im.data();
  down.to_step = along.from_step = step;
  along.from = down.to = between.data();
  along.to_step = 2 * plan.rows;
  along.scale = how.scale;
  along.exchange_to = how.inverse;
  for (int64_t i = 0; i < how.lines; ++i) {
    down.from = from.at(0, i);
    along.to = to.at(0, i);
    run(kernels, down, how.in_tasks);
    run(kernels, along, how.in_tasks);
  }
}

// to = from * table, with the parts of either exchanged.
template <class T>
void multiply(View<T> from, bool exchange_from, const std::vector<Pair<T>>& table, View<T> to,
              bool exchange_to, T scale, int64_t lines) {
  for (int64_t k = 0; k < static_cast<int64_t>(table.size()); ++k) {
    const Pair<T> w = table[static_cast<size_t>(k)];
    for (int64_t i = 0; i < lines; ++i) {
      const T *const x = from.at(k, i), re = x[exchange_from], im = x[!exchange_from];
      T* const y = to.at(k, i);
      y[exchange_to] = (re * w.re - im * w.im) * scale;
      y[!exchange_to] = (re * w.im + im * w.re) * scale;
    }
  }
}

// x[j] w^(j k) = chirp[k] * (x chirp)[j] * conj(chirp)[k - j]: a convolution, through transforms.
template <class T>
void transform_bluestein(const Kernels<T>& kernels, const Plan<T>& plan, View<T> from, View<T> to,
                         const How<T>& how) {
  const int64_t m = plan.longer->n, all = 2 * m * how.lines;
  const Numbers<T> memory(checked_mul(2, all));
  const auto view = [&](T* data) {
    return plan.is_matrix() ? View<T>{data, 2, 2 * m} : View<T>{data, 2 * how.lines, 2};
  };
  const View<T> a = view(memory.data()), b = view(memory.data() + all);
  std::fill(a.data, a.data + all, T(0));
  multiply(from, how.inverse, plan.chirp, a, false, T(1), how.lines);
  How<T> longer{how.lines, false, 1, how.in_tasks};
  transform_direct(kernels, *plan.longer, a, b, longer);
  multiply(b, false, plan.filter, b, false, T(1), how.lines);
  longer.inverse = true;
  transform_direct(kernels, *plan.longer, b, a, longer);
  multiply(a, false, plan.chirp, to, how.inverse, how.scale, how.lines);
}

}  // namespace

template <class T>
void transform(const Kernels<T>& kernels, const Plan<T>& plan, View<T> from, View<T> to,
               const How<T>& how) {
  plan.longer == nullptr ? transform_direct(kernels, plan, from, to, how)
                         : transform_bluestein(kernels, plan, from, to, how);
}

template void transform(const Kernels<float>&, const Plan<float>&, View<float>, View<float>,
                        const How<float>&);
template void transform(const Kernels<double>&, const Plan<double>&, View<double>, View<double>,
                        const How<double>&);
template void transform(const Kernels<long double>&, const Plan<long double>&, View<long double>,
                        View<long double>, const How<long double>&);

}  // namespace weft::kernels::fft
