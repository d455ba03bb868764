// Plans and their tables, computed in long double; a small cache of them.
#include "weft/kernels/fft/plan.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numbers>

#include "weft/base/checked.h"
#include "weft/base/mutex.h"
#include "weft/kernels/fft/transform.h"

namespace weft::kernels::fft {
namespace {

using Wide = Pair<long double>;
// Greater primes are Bluestein's; so are two of the upper half of these, to stay within 2 ulp.
constexpr int64_t kMaxRadix = 128;

// exp(-2 pi i j / n) for any j < n, as a product of two table entries: 2 sqrt(n) sines in all.
class Roots {
 public:
  explicit Roots(int64_t n) : n_(n) {
    while (int64_t{1} << (2 * shift_) < n) ++shift_;
    for (int64_t j = 0; j <= int64_t{1} << shift_; ++j) fine_.push_back(root(j));
    for (int64_t j = 0; j << shift_ <= n; ++j) coarse_.push_back(root(j << shift_));
  }
  template <class T>
  Pair<T> at(int64_t j) const {
    const auto low = static_cast<size_t>(j & ((int64_t{1} << shift_) - 1));
    const Wide a = coarse_[static_cast<size_t>(j >> shift_)], b = fine_[low];
    return {static_cast<T>(a.re * b.re - a.im * b.im), static_cast<T>(a.re * b.im + a.im * b.re)};
  }

 private:
  // By the nearest multiple of a quarter, so that 1, -1, i and -i are exact.
  Wide root(int64_t j) const {
    const int64_t quarter = (4 * j + n_ / 2) / n_, rest = 4 * j - quarter * n_;
    const long double angle = std::numbers::pi_v<long double> * static_cast<long double>(rest) /
                              (2 * static_cast<long double>(n_));
    const long double c = std::cos(angle), s = std::sin(angle);
    switch (quarter % 4) {
      case 0: return {c, -s};
      case 1: return {-s, -c};
      case 2: return {-c, s};
      default: return {s, c};
    }
  }
  int64_t n_;
  int shift_ = 0;
  std::vector<Wide> fine_, coarse_;
};

// Factors in the order they are used, the greatest prime last. Powers of 2 are taken as eights,
// but 8 * 2 as 4 * 4; of 1 there is one stage, too.
std::vector<int64_t> factors_of(int64_t n) {
  std::vector<int64_t> out;
  for (; n % 8 == 0 && n % 32 != 16; n /= 8) out.push_back(8);
  for (; n % 4 == 0; n /= 4) out.push_back(4);
  for (int64_t p = 2; p * p <= n; p += p == 2 ? 1 : 2) {
    for (; n % p == 0; n /= p) out.push_back(p);
  }
  if (n > 1 || out.empty()) out.push_back(n);
  return out;
}

int64_t whole(int64_t k) { return (k + kTurns - 1) / kTurns * kTurns; }

// The columns of the matrix that a transform of n is: the divisor that leaves the fewest lanes
// idle in groups of kTurns, or 1 if there is none that fills a group either way.
int64_t columns_of(int64_t n) {
  int64_t best = 1, least = INT64_MAX;
  for (int64_t cols = kTurns; cols * cols <= n; ++cols) {
    if (n % cols != 0) continue;
    const int64_t rows = n / cols, work = rows * whole(cols) + cols * whole(rows);
    if (work > least) continue;
    least = work;
    best = cols;
  }
  return best;
}

// The least length from n on that is a power of 2, or 3, 5, 9 or 15 times one: more odd factors
// would cost accuracy and time.
int64_t smooth_from(int64_t n) {
  int64_t best = 1;
  while (best < n) best = checked_mul(best, 2);
  for (int64_t odd : {3, 5, 9, 15}) {
    int64_t length = odd;
    while (length < n) length *= 2;
    best = std::min(best, length);
  }
  return best;
}

// The stages of transforms of `length`, whose roots are every n / length-th of `roots`.
template <class T>
void add_stages(Plan<T>& plan, const Roots& roots, int64_t length, std::vector<Stage<T>>& stages) {
  const int64_t every = plan.n / length;
  int64_t stride = 1;
  for (int64_t radix : factors_of(length)) {
    const int64_t rest = length / radix / stride;
    auto& turns = plan.kept.emplace_back();
    for (int64_t p = 0; p < rest; ++p) {
      for (int64_t k = 1; k < radix; ++k) turns.push_back(roots.at<T>(p * k * stride * every));
    }
    const Pair<T>* const turned = turns.data();
    auto& circle = plan.kept.emplace_back();
    for (int64_t k = 0; k < radix; ++k) circle.push_back(roots.at<T>(k * (plan.n / radix)));
    stages.push_back({radix, rest, stride, turned, circle.data()});
    stride *= radix;
  }
}

template <class T>
std::shared_ptr<const Plan<T>> make_plan(int64_t n, bool real);

template <class T>
void add_matrix(Plan<T>& plan) {
  const Roots roots(plan.n);
  plan.cols = columns_of(plan.n);
  plan.rows = plan.n / plan.cols;
  add_stages(plan, roots, plan.rows, plan.down);
  if (plan.cols == 1) return;
  add_stages(plan, roots, plan.cols, plan.along);
  const int64_t cols = whole(plan.cols);
  plan.turns_re.resize(static_cast<size_t>(plan.rows * cols));
  plan.turns_im.resize(plan.turns_re.size());
  size_t at = 0;
  for (int64_t block = 0; block < cols; block += kTurns) {
    for (int64_t k = 0; k < plan.rows; ++k) {
      for (int64_t j = block; j < block + kTurns; ++j, ++at) {
        const Pair<T> w = roots.at<T>(k * std::min(j, plan.cols - 1));
        plan.turns_re[at] = w.re;
        plan.turns_im[at] = w.im;
      }
    }
  }
}

// The chirp's transform is a table like the others: it is computed in long double, too.
template <class T>
void add_bluestein(Plan<T>& plan) {
  const int64_t n = plan.n, m = smooth_from(checked_add(checked_mul(n, 2), -1));
  plan.longer = plan_for<T>(m, false);
  const Roots roots(checked_mul(n, 2));
  const long double scale = 1 / static_cast<long double>(m);
  std::vector<Wide> filter(static_cast<size_t>(m)), scratch(static_cast<size_t>(m));
  for (int64_t k = 0, square = 0; k < n; ++k) {  // square = k^2 mod 2 n
    const Wide w = roots.at<long double>(square), back{w.re * scale, -w.im * scale};
    plan.chirp.push_back({static_cast<T>(w.re), static_cast<T>(w.im)});
    filter[static_cast<size_t>(k)] = filter[static_cast<size_t>(k == 0 ? 0 : m - k)] = back;
    square = (square + 2 * k + 1) % (2 * n);
  }
  const View<long double> from{&filter[0].re, 2, 0}, to{&scratch[0].re, 2, 0};
  // Needed once, and large: not cached, unless this plan is itself one of long double.
  const auto wide = std::is_same_v<T, long double> ? plan_for<long double>(m, false)
                                                   : make_plan<long double>(m, false);
  transform(portable::kWide, *wide, from, to, {});
  for (const Wide& w : scratch) plan.filter.push_back({static_cast<T>(w.re), static_cast<T>(w.im)});
}

template <class T>
std::shared_ptr<const Plan<T>> make_plan(int64_t n, bool real) {
  auto plan = std::make_shared<Plan<T>>();
  plan->n = n;
  if (is_direct(n)) {
    add_matrix(*plan);
  } else {
    add_bluestein(*plan);
  }
  if (real) {
    const Roots roots(checked_mul(n, 2));
    for (int64_t k = 0; k <= n; ++k) plan->halves.push_back(roots.at<T>(k));
  }
  return plan;
}

// The last plans that were used, at most kPlans and kBytes of them; longer ones are not kept.
template <class T>
class Cache {
 public:
  using Entry = std::shared_ptr<const Plan<T>>;

  Entry find(int64_t n, bool real) {
    const std::lock_guard lock(mutex_);
    for (size_t i = 0; i < kept_.size(); ++i) {
      if (kept_[i]->n != n || kept_[i]->halves.empty() == real) continue;
      std::rotate(kept_.begin(), kept_.begin() + static_cast<std::ptrdiff_t>(i),
                  kept_.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      return kept_[0];
    }
    return nullptr;
  }
  void keep(const Entry& plan) {
    if (bytes(*plan) > kBytes) return;
    const std::lock_guard lock(mutex_);
    kept_.insert(kept_.begin(), plan);
    int64_t total = 0;
    size_t count = 0;
    while (count < kept_.size() && count < kPlans) {
      total += bytes(*kept_[count]);
      if (total > kBytes) break;
      ++count;
    }
    kept_.resize(count);
  }

 private:
  static constexpr size_t kPlans = 32;
  // The plan of a prime near 2^20 has 50 MB in double, and the longer one that it uses 70.
  static constexpr int64_t kBytes = int64_t{256} << 20;
  static int64_t bytes(const Plan<T>& plan) {
    const int64_t own = plan.longer == nullptr ? 2 * plan.n : plan.n + plan.longer->n;
    return (own + static_cast<int64_t>(plan.halves.size())) * static_cast<int64_t>(sizeof(Pair<T>));
  }
  Mutex mutex_;
  std::vector<Entry> kept_;
};

}  // namespace

bool is_direct(int64_t n) {
  const std::vector<int64_t> factors = factors_of(n);
  const size_t last = factors.size() - 1;
  return factors[last] <= kMaxRadix && (last == 0 || factors[last - 1] <= kMaxRadix / 2);
}

template <class T>
std::shared_ptr<const Plan<T>> plan_for(int64_t n, bool real) {
  static Cache<T>* const cache = new Cache<T>;  // never destroyed: threads may still ask at exit
  if (auto found = cache->find(n, real)) return found;
  const auto made = make_plan<T>(n, real);
  cache->keep(made);
  return made;
}

template std::shared_ptr<const Plan<float>> plan_for(int64_t n, bool real);
template std::shared_ptr<const Plan<double>> plan_for(int64_t n, bool real);
template std::shared_ptr<const Plan<long double>> plan_for(int64_t n, bool real);

}  // namespace weft::kernels::fft
