// Sweeps the expansions: every f32 input (or every stride-th) and random f64 samples against libm.
//
//   expr_accuracy [--stride N] [--samples N] [--threads N] [--pow-exponents N] [function...]
//
// pow of f32 takes a random exponent at every base, then all bases for each of N fixed exponents.
// Prints the largest error of each function in ulps and exits with 1 if one breaks its bound.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "weft/base/error.h"
#include "weft/expr/math/accuracy.h"
#include "weft/expr/walk.h"

namespace weft::expr_math {
namespace {

struct Options {
  uint64_t stride = 1;
  uint64_t samples = 100'000'000;
  unsigned threads = 2;
  unsigned pow_exponents = 0;
  std::vector<std::string_view> functions;
};

// SplitMix64: a number per index, so that threads need no shared state.
uint64_t random_bits(uint64_t index) {
  uint64_t z = (index + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// A double of any exponent, the ordinary ones more often.
double random_double(uint64_t index) {
  const uint64_t bits = random_bits(index);
  const uint64_t choice = random_bits(~index);
  if (choice % 4 == 0) return std::bit_cast<double>(bits);
  const uint64_t exponent = 1023 - 40 + choice / 4 % 52;
  return std::bit_cast<double>((bits & 0x800fffffffffffffu) | exponent << 52);
}

// A float exponent for pow: small ones, larger ones, and any bits.
float pow_exponent(uint64_t index) {
  const uint64_t bits = random_bits(index);
  if (bits % 4 == 0) return std::bit_cast<float>(static_cast<uint32_t>(bits >> 32));
  const double unit = static_cast<double>(bits >> 11) * 0x1p-53;
  return static_cast<float>((unit - 0.5) * (bits % 4 == 1 ? 4.0 : bits % 4 == 2 ? 64.0 : 400.0));
}

// Points `start`, `start + step`, ...; `fixed` is pow's exponent if it is one.
template <class T>
void fill(Fn fn, const float* fixed, uint64_t start, uint64_t step, std::vector<T>& x,
          std::vector<T>& y) {
  for (size_t i = 0; i < x.size(); ++i) {
    const uint64_t index = start + i * step;
    if constexpr (sizeof(T) == 4) {
      x[i] = std::bit_cast<float>(static_cast<uint32_t>(index));
      y[i] = fixed != nullptr ? *fixed : fn == Fn::kPow ? pow_exponent(index) : 0.0f;
    } else {
      x[i] = random_double(index);
      y[i] = fn == Fn::kPow ? random_double(~index * 3) : 0.0;
      // Half of pow's samples are where the result is neither 0 nor infinite.
      if (fn == Fn::kPow && index % 2 == 0) {
        y[i] = (static_cast<double>(random_bits(index * 5) >> 11) * 0x1p-52 - 1.0) * 1024 /
               std::log2(std::fabs(x[i]));
      }
    }
  }
}

template <class T>
Worst<T> sweep(Fn fn, uint64_t count, uint64_t step, unsigned threads,
               const float* fixed = nullptr) {
  constexpr uint64_t chunk = 1 << 16;
  std::atomic<uint64_t> next{0};
  std::vector<Worst<T>> found(threads);
  const auto work = [&](unsigned t) {
    Accuracy<T> accuracy(fn);
    std::vector<T> x(chunk), y(chunk);
    for (uint64_t start; (start = next.fetch_add(chunk)) < count;) {
      const auto n = static_cast<size_t>(std::min(chunk, count - start));
      x.resize(n), y.resize(n);
      fill<T>(fn, fixed, start * step, step, x, y);
      accuracy.measure(x.data(), y.data(), n, found[t]);
    }
  };
  std::vector<std::thread> pool;
  for (unsigned t = 1; t < threads; ++t) pool.emplace_back(work, t);
  work(0);
  for (std::thread& thread : pool) thread.join();
  Worst<T> worst = found[0];
  for (const Worst<T>& one : found) {
    const bool within = worst.within && one.within;
    if (one.ulps > worst.ulps) worst = one;
    worst.within = within;
  }
  return worst;
}

template <class T>
bool report(Fn fn, const Worst<T>& worst) {
  size_t nodes = 0;
  for (const ExprNode* node : nodes_of(Accuracy<T>::expanded(fn))) {
    nodes +=
        node->op != ExprOp::kConst && node->op != ExprOp::kInput && node->op != ExprOp::kBitcast;
  }
  std::printf("%-8s %s  %3zu nodes  %8.4f ulp at %.9g", std::string(name_of(fn)).c_str(),
              sizeof(T) == 4 ? "f32" : "f64", nodes, worst.ulps, static_cast<double>(worst.at));
  if (fn == Fn::kPow) std::printf(", %.9g", static_cast<double>(worst.exponent));
  std::printf("%s\n", worst.within ? "" : "  TOO LARGE");
  std::fflush(stdout);
  return worst.within;
}

bool wanted(const Options& options, Fn fn) {
  if (options.functions.empty()) return true;
  for (const std::string_view name : options.functions) {
    if (name == name_of(fn)) return true;
  }
  return false;
}

int run(const Options& options) {
  bool good = true;
  for (int i = 0; i < kNumFns; ++i) {
    const Fn fn = static_cast<Fn>(i);
    if (!wanted(options, fn)) continue;
    const uint64_t count = ((uint64_t{1} << 32) + options.stride - 1) / options.stride;
    good &= report(fn, sweep<float>(fn, count, options.stride, options.threads));
    for (unsigned k = 0; fn == Fn::kPow && k < options.pow_exponents; ++k) {
      const float exponent = pow_exponent(uint64_t{1} << 40 | k);
      good &= report(fn, sweep<float>(fn, count, options.stride, options.threads, &exponent));
    }
    good &= report(fn, sweep<double>(fn, options.samples, 1, options.threads));
  }
  return good ? 0 : 1;
}

}  // namespace
}  // namespace weft::expr_math

int main(int argc, char** argv) try {
  weft::expr_math::Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    if (name == "--help") {
      std::puts(
          "expr_accuracy [--stride N] [--samples N] [--threads N] [--pow-exponents N] "
          "[function...]\n"
          "Largest errors in ulps: every (stride-th) f32, N samples of f64; 1 if a bound is "
          "broken.");
      return 0;
    }
    if (!name.starts_with("--")) {
      options.functions.push_back(name);
      continue;
    }
    const uint64_t value = i + 1 < argc ? std::strtoull(argv[++i], nullptr, 10) : 0;
    if (name == "--stride" && value > 0) {
      options.stride = value;
    } else if (name == "--samples") {
      options.samples = value;
    } else if (name == "--threads" && value > 0) {
      options.threads = static_cast<unsigned>(value);
    } else if (name == "--pow-exponents") {
      options.pow_exponents = static_cast<unsigned>(value);
    } else {
      std::fprintf(stderr, "expr_accuracy: there is no %s with value %llu\n", argv[i - 1],
                   static_cast<unsigned long long>(value));
      return 2;
    }
  }
  return weft::expr_math::run(options);
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
