// The passes of a plan, and Bluestein's convolution out of two transforms.
#include "weft/kernels/fft/transform.h"

#include <algorithm>
#include <cmath>

#include "weft/base/checked.h"
#include "weft/base/sizes.h"
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

template <class T>
void run(const Kernels<T>& kernels, const Pass<T>& pass, bool tasks) {
  const int64_t lanes = kernels.lanes, groups = (pass.count + lanes - 1) / lanes;
  const double ns = 2 * static_cast<double>(pass.n) * std::log2(static_cast<double>(pass.n) + 1);
  in_tasks(groups, tasks ? ns : 0, [&](int64_t begin, int64_t end) {
    const Numbers<T> work(4 * lanes * round_up(pass.n, lanes));
    kernels.run(pass, begin, end, work.data());
  });
}

template <class T>
Pass<T> pass_of(const std::vector<Stage<T>>& stages, int64_t n, int64_t count, const How<T>& how) {
  Pass<T> pass{};
  pass.stages = stages.data();
  pass.num_stages = static_cast<int64_t>(stages.size());
  pass.n = n;
  pass.count = count;
  pass.scale = how.scale;
  // With both parts exchanged before and after, a forward transform is an inverse one.
  pass.exchange_from = pass.exchange_to = how.inverse;
  return pass;
}

// Lines in lanes, each of them a matrix: element [j1, j2] is a vector.
template <class T>
void transform_across(const Kernels<T>& kernels, const Plan<T>& plan, View<T> from, View<T> to,
                      const How<T>& how) {
  const int64_t vectors = 2 * kernels.lanes;
  const Numbers<T> between(checked_mul(plan.n, vectors));
  const auto in_lanes = [&](int64_t n, int64_t units, auto make_pass) {
    const double ns = 3 * static_cast<double>(n) * std::log2(static_cast<double>(n));
    in_tasks(units, how.in_tasks ? ns : 0, [&](int64_t begin, int64_t end) {
      const Numbers<T> work(2 * vectors * round_up(n, kernels.lanes));
      for (int64_t i = begin; i < end; ++i) kernels.run(make_pass(i), 0, 1, work.data());
    });
  };
  for (int64_t first = 0; first < how.lines; first += kernels.lanes) {
    const int64_t count = std::min(kernels.lanes, how.lines - first);
    in_lanes(plan.rows, plan.cols, [&](int64_t j) {
      Pass<T> down = pass_of(plan.down, plan.rows, count, how);
      down.from = {from.at(j, first), plan.cols * from.element, Form::kNumbers};
      down.to = {between.data() + j * vectors, plan.cols * vectors, Form::kVectors};
      const int64_t turns = j / kTurns * kTurns * plan.rows + j % kTurns;
      down.turns_re = plan.turns_re.data() + turns;
      down.turns_im = plan.turns_im.data() + turns;
      return down;
    });
    in_lanes(plan.cols, plan.rows, [&](int64_t k) {
      Pass<T> along = pass_of(plan.along, plan.cols, count, how);
      along.from = {between.data() + k * plan.cols * vectors, vectors, Form::kVectors};
      along.to = {to.at(k, first), plan.rows * to.element, Form::kNumbers};
      return along;
    });
  }
}

template <class T>
void transform_direct(const Kernels<T>& kernels, const Plan<T>& plan, View<T> from, View<T> to,
                      const How<T>& how) {
  if (plan.cols == 1) {
    Pass<T> pass = pass_of(plan.down, plan.n, how.lines, how);
    const auto place = [&](auto view) {
      const bool lines = view.line != 2 && how.lines > 1;
      return Place<T>{view.data, lines ? view.line : view.element,
                      lines ? Form::kLines : Form::kNumbers};
    };
    const Place<T> in = place(from);
    pass.from = {in.data, in.step, in.form};
    pass.to = place(to);
    return run(kernels, pass, how.in_tasks);
  }
  if (how.side_by_side) return transform_across(kernels, plan, from, to, how);
  const int64_t step = 2 * round_up(plan.cols, kernels.lanes);
  const Numbers<T> between(checked_mul(plan.rows, step));
  Pass<T> down = pass_of(plan.down, plan.rows, plan.cols, how);
  Pass<T> along = pass_of(plan.along, plan.cols, plan.rows, how);
  down.to = {between.data(), step, Form::kVectors};
  down.turns_re = plan.turns_re.data();
  down.turns_im = plan.turns_im.data();
  down.turns_differ = true;
  down.ahead = along.ahead = 2 * kernels.lanes;
  along.from = {between.data(), step, Form::kRows};
  for (int64_t i = 0; i < how.lines; ++i) {
    down.from = {from.at(0, i), 2 * plan.cols, Form::kNumbers};
    along.to = {to.at(0, i), 2 * plan.rows, Form::kNumbers};
    run(kernels, down, how.in_tasks);
    run(kernels, along, how.in_tasks);
  }
}

// to = from * table * scale for each line of `how`, with the parts of either exchanged.
template <class T>
void multiply(View<T> from, bool exchange_from, const std::vector<Pair<T>>& table, View<T> to,
              bool exchange_to, T scale, const How<T>& how) {
  const double ns = 2 * static_cast<double>(how.lines);
  in_tasks(static_cast<int64_t>(table.size()), how.in_tasks ? ns : 0,
           [&](int64_t begin, int64_t end) {
             for (int64_t k = begin; k < end; ++k) {
               const Pair<T> w = table[static_cast<size_t>(k)];
               for (int64_t i = 0; i < how.lines; ++i) {
                 const T *const x = from.at(k, i), re = x[exchange_from], im = x[!exchange_from];
                 T* const y = to.at(k, i);
                 y[exchange_to] = (re * w.re - im * w.im) * scale;
                 y[!exchange_to] = (re * w.im + im * w.re) * scale;
               }
             }
           });
}

// x[j] w^(j k) = chirp[k] * (x chirp)[j] * conj(chirp)[k - j]: a convolution, through transforms.
template <class T>
void transform_bluestein(const Kernels<T>& kernels, const Plan<T>& plan, View<T> from, View<T> to,
                         const How<T>& how) {
  const int64_t m = plan.longer->n, all = 2 * m * how.lines;
  const Numbers<T> memory(checked_mul(2, all));
  const auto view = [&](T* data) {
    return how.side_by_side ? View<T>{data, 2 * how.lines, 2} : View<T>{data, 2, 2 * m};
  };
  const View<T> a = view(memory.data()), b = view(memory.data() + all);
  std::fill(a.data, a.data + all, T(0));
  multiply(from, how.inverse, plan.chirp, a, false, T(1), how);
  How<T> longer = how;
  longer.inverse = false;
  longer.scale = 1;
  transform_direct(kernels, *plan.longer, a, b, longer);
  multiply(b, false, plan.filter, b, false, T(1), how);
  longer.inverse = true;
  transform_direct(kernels, *plan.longer, b, a, longer);
  multiply(a, false, plan.chirp, to, how.inverse, how.scale, how);
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
