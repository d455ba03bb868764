// Convolution against its definition, bit by bit: random shapes, every dtype, tier and thread
// count.
#include "weft/kernels/conv/conv.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "weft/base/cpu.h"
#include "weft/base/thread_pool.h"
#include "weft/core/half.h"

namespace weft::kernels {
namespace {

using Bytes = std::vector<char>;

constexpr DType kDTypes[] = {DType::kF32, DType::kF64, DType::kBF16, DType::kF16, DType::kC64,
                             DType::kI32, DType::kU8,  DType::kI64,  DType::kC128};

class Random {
 public:
  explicit Random(uint32_t seed) : engine_(seed) {}
  int64_t below(int64_t n) { return static_cast<int64_t>(engine_() % static_cast<uint64_t>(n)); }
  int64_t from(int64_t low, int64_t high) { return low + below(high - low + 1); }
  double uniform() { return static_cast<double>(engine_()) / 4294967296.0 * 2 - 1; }

  Bytes fill(DType dtype, int64_t count) {
    Bytes out(static_cast<size_t>(count * size_of(dtype)));
    for (int64_t i = 0; i < count; ++i) put(dtype, out.data() + i * size_of(dtype));
    return out;
  }

 private:
  template <class V>
  static void write(char* to, V value) {
    std::memcpy(to, &value, sizeof(V));
  }
  void put(DType dtype, char* to) {
    const auto f = static_cast<float>(uniform());
    switch (dtype) {
      case DType::kF32: return write(to, f);
      case DType::kF64: return write(to, uniform());
      case DType::kBF16: return write(to, BFloat16::from_float(f));
      case DType::kF16: return write(to, Half::from_float(f));
      case DType::kC64: return write(to, Complex64{f, static_cast<float>(uniform())});
      case DType::kC128: return write(to, Complex128{f, uniform()});
      default:
        for (int64_t i = 0; i < size_of(dtype); ++i) to[i] = static_cast<char>(engine_());
    }
  }
  std::mt19937 engine_;
};

// How weights lie: filters innermost, channels innermost, or taps innermost.
enum class Inside { kFilters, kChannels, kTaps };

// A problem with memory of its own; x and y have their channels last or first.
struct Problem {
  ConvArgs args;
  Bytes x, w, y;

  int64_t x_size() const {
    int64_t n = args.batch * args.groups * args.channels;
    for (const ConvAxis& a : args.axis) n *= a.in;
    return n;
  }
  int64_t y_size() const {
    int64_t n = args.batch * args.groups * args.filters;
    for (const ConvAxis& a : args.axis) n *= a.out;
    return n;
  }
  int64_t w_size() const {
    int64_t n = args.channels * args.groups * args.filters;
    for (const ConvAxis& a : args.axis) n *= a.taps;
    return n;
  }

  // Sizes are set; gives strides and random contents.
  void lay_out(Random& random, bool x_first, Inside inside, bool y_first) {
    ConvAxis(&a)[kConvAxes] = args.axis;
    const int64_t c = args.groups * args.channels, f = args.groups * args.filters;
    args.x_channel = x_first ? a[0].in * a[1].in * a[2].in : 1;
    a[2].x_stride = x_first ? 1 : c;
    a[1].x_stride = a[2].x_stride * a[2].in;
    a[0].x_stride = a[1].x_stride * a[1].in;
    args.x_batch = a[0].in * a[1].in * a[2].in * c;
    args.y_channel = y_first ? a[0].out * a[1].out * a[2].out : 1;
    a[2].y_stride = y_first ? 1 : f;
    a[1].y_stride = a[2].y_stride * a[2].out;
    a[0].y_stride = a[1].y_stride * a[1].out;
    args.y_batch = a[0].out * a[1].out * a[2].out * f;
    const int64_t taps = a[0].taps * a[1].taps * a[2].taps;
    const bool taps_inside = inside == Inside::kTaps;
    args.w_filter = taps_inside                  ? taps * args.channels
                    : inside == Inside::kFilters ? 1
                                                 : args.channels;
    args.w_channel = taps_inside ? taps : inside == Inside::kFilters ? f : 1;
    a[2].w_stride = taps_inside ? 1 : f * args.channels;
    a[1].w_stride = a[2].w_stride * a[2].taps;
    a[0].w_stride = a[1].w_stride * a[1].taps;
    x = random.fill(args.dtype, x_size());
    w = random.fill(args.dtype, w_size());
    y = random.fill(args.dtype, y_size());
    args.x = x.data();
    args.w = w.data();
    args.y = y.data();
  }
};

// How many windows there are with so much padding at the end; one at least.
int64_t places_of(const ConvAxis& a, int64_t high) {
  const int64_t window = (a.taps - 1) * a.dilation + 1;
  const int64_t extent = (a.in - 1) * a.input_dilation + 1 + a.low + high;
  return extent < window ? 1 : (extent - window) / a.stride + 1;
}

Problem random_problem(Random& random, DType dtype, bool dilated_input) {
  Problem out;
  ConvArgs& args = out.args;
  args.dtype = dtype;
  args.batch = random.from(1, 3);
  const int kind = static_cast<int>(random.below(5));
  args.groups = kind == 0 ? random.from(4, 21) : random.below(3) == 0 ? random.from(2, 3) : 1;
  args.channels = kind == 0 ? 1 : kind == 1 ? random.from(1, 4) : random.from(1, 40);
  args.filters = kind == 0 ? 1 : random.from(1, 40);
  const int axes = static_cast<int>(random.from(1, 3));
  for (int d = kConvAxes - axes; d < kConvAxes; ++d) {
    ConvAxis& a = args.axis[d];
    a.in = random.from(1, axes == 1 ? 40 : 8);
    a.taps = random.below(4) == 0 ? 1 : random.from(1, 4);
    a.stride = random.from(1, 3);
    a.dilation = random.from(1, 2);
    a.low = random.from(-1, 3);
    a.input_dilation = dilated_input ? random.from(1, 3) : 1;
    a.out = places_of(a, random.from(-1, 3));
  }
  return out;
}

// Every tier this CPU has, on one and two threads, gives the bytes of the definition.
void expect_definition(Problem& p, bool weights, const char* what) {
  Bytes& out = weights ? p.w : p.y;
  (weights ? conv_dw_by_definition : conv_by_definition)(p.args);
  const Bytes wanted = out;
  for (int tier = 0; tier <= static_cast<int>(best_isa()); ++tier) {
    set_isa_for_testing(static_cast<Isa>(tier));
    for (const int threads : {1, 2}) {
      set_num_threads(threads);
      std::fill(out.begin(), out.end(), static_cast<char>(0x55));
      (weights ? conv_dw : conv)(p.args);
      EXPECT_TRUE(out == wanted) << what << ", tier " << tier << ", threads " << threads;
    }
  }
  set_isa_for_testing(best_isa());
}

std::string shown(const ConvArgs& p) {
  std::string out = "dtype " + std::string(name_of(p.dtype)) + " n " + std::to_string(p.batch) +
                    " groups " + std::to_string(p.groups) + " channels " +
                    std::to_string(p.channels) + " filters " + std::to_string(p.filters);
  for (const ConvAxis& a : p.axis) {
    for (const int64_t v : {a.in, a.out, a.taps, a.stride, a.dilation, a.low, a.input_dilation}) {
      out += " " + std::to_string(v);
    }
    out += ";";
  }
  return out;
}

TEST(Conv, RandomShapesEqualTheDefinition) {
  Random random(1);
  const int before = num_threads();
  for (int i = 0; i < 300; ++i) {
    Problem p = random_problem(random, kDTypes[i % 9], i % 3 == 2);
    p.lay_out(random, random.below(2) == 0, static_cast<Inside>(random.below(3)), false);
    SCOPED_TRACE(shown(p.args));
    expect_definition(p, false, "conv");
  }
  set_num_threads(before);
}

TEST(Conv, RandomWeightGradientsEqualTheDefinition) {
  Random random(2);
  const int before = num_threads();
  for (int i = 0; i < 180; ++i) {
    Problem p = random_problem(random, kDTypes[i % 9], i % 7 == 6);
    p.lay_out(random, random.below(2) == 0, static_cast<Inside>(random.below(3)),
              random.below(2) == 0);
    SCOPED_TRACE(shown(p.args));
    expect_definition(p, true, "conv.dw");
  }
  set_num_threads(before);
}

// Windows of at most 3 x 3 on each channel, which reach more or less far outside.
TEST(Conv, SmallDepthwiseWindowsEqualTheDefinition) {
  Random random(5);
  const int before = num_threads();
  for (int i = 0; i < 240; ++i) {
    Problem p = random_problem(random, kDTypes[i % 2], false);
    p.args.groups = i % 15 == 5 ? random.from(250, 300) : random.from(4, 21);
    p.args.channels = p.args.filters = 1;
    p.args.axis[0] = {};
    for (int d = 1; d < kConvAxes; ++d) {
      ConvAxis& a = p.args.axis[d];
      a = {};
      a.in = random.from(1, 20);
      a.taps = i % 4 == 3 ? random.from(1, 3) : 3;
      a.stride = i % 4 == 2 ? 1 : random.from(1, 2);
      a.low = random.from(-1, 2);
      a.input_dilation = i % 4 == 2 ? 2 : 1;
      a.out = places_of(a, random.from(-1, 2));
    }
    p.lay_out(random, false, static_cast<Inside>(random.below(3)), false);
    SCOPED_TRACE(shown(p.args));
    expect_definition(p, false, "conv");
    expect_definition(p, true, "conv.dw");
  }
  set_num_threads(before);
}

// Few channels, of which windows read stretches of lines: more or less of them lie outside.
TEST(Conv, FewChannelsEqualTheDefinition) {
  Random random(6);
  const int before = num_threads();
  for (int i = 0; i < 120; ++i) {
    Problem p = random_problem(random, kDTypes[i % 9], false);
    p.args.groups = 1;
    p.args.channels = random.from(1, 6);
    p.args.filters = random.from(1, 70);
    p.args.axis[0] = {};
    for (int d = 1; d < kConvAxes; ++d) {
      ConvAxis& a = p.args.axis[d];
      a = {};
      a.in = random.from(1, 16);
      a.taps = random.from(d, 5);
      a.stride = random.from(1, 3);
      a.low = random.from(-1, 4);
      a.dilation = d == 1 ? random.from(1, 2) : 1;
      a.out = places_of(a, random.from(-1, 4));
    }
    p.lay_out(random, false, static_cast<Inside>(random.below(3)), false);
    SCOPED_TRACE(shown(p.args));
    expect_definition(p, false, "conv");
  }
  set_num_threads(before);
}

// Many terms, so that there are several chains, and several tiles.
Problem large_problem(DType dtype, int64_t channels, int64_t filters, int64_t groups, int64_t size,
                      int64_t taps, int64_t stride) {
  Problem out;
  out.args.dtype = dtype;
  out.args.batch = 2;
  out.args.groups = groups;
  out.args.channels = channels;
  out.args.filters = filters;
  for (int d = 1; d < kConvAxes; ++d) {
    ConvAxis& a = out.args.axis[d];
    a.in = size;
    a.taps = taps;
    a.stride = stride;
    a.low = taps / 2;
    a.out = (size + 2 * (taps / 2) - taps) / stride + 1;
  }
  return out;
}

// Few filters on lines about as long as vectors: lanes are places, which may lie outside
// altogether.
TEST(Conv, FewFiltersEqualTheDefinition) {
  Random random(10);
  const int before = num_threads();
  for (int i = 0; i < 180; ++i) {
    Problem p = random_problem(random, kDTypes[i % 9], false);
    p.args.groups = 1;
    p.args.channels = random.from(1, 20);
    p.args.filters = random.from(1, 8);
    p.args.axis[0] = {};
    for (int d = 1; d < kConvAxes; ++d) {
      ConvAxis& a = p.args.axis[d];
      a = {};
      a.in = random.from(1, 40);
      a.taps = random.from(1, 5);
      a.stride = d == 1 ? random.from(1, 3) : 1;
      a.low = random.from(-1, 5);
      a.dilation = random.from(1, 2);
      a.input_dilation = i % 4 == 3 ? random.from(1, 2) : 1;
      a.out = places_of(a, random.from(-1, 5));
    }
    p.lay_out(random, random.below(4) == 0, static_cast<Inside>(random.below(3)), false);
    SCOPED_TRACE(shown(p.args));
    expect_definition(p, false, "conv");
  }
  // In several bands, and with strange numbers.
  Problem p = large_problem(DType::kF32, 16, 3, 1, 130, 5, 1);
  p.lay_out(random, false, Inside::kTaps, false);
  const float strange[] = {__builtin_inff(), -__builtin_inff(), __builtin_nanf(""), -0.0f};
  for (size_t i = 0; i < 4; ++i) std::memcpy(p.x.data() + 40'000 * (i + 1), strange + i, 4);
  expect_definition(p, false, "conv");
  set_num_threads(before);
}

TEST(Conv, SeveralChainsAndTiles) {
  Random random(3);
  const int before = num_threads();
  const auto check = [&](Problem p) {
    p.lay_out(random, false, Inside::kTaps, false);
    SCOPED_TRACE(shown(p.args));
    expect_definition(p, false, "conv");
    p.lay_out(random, false, Inside::kChannels, false);
    expect_definition(p, true, "conv.dw");
  };
  check(large_problem(DType::kF32, 72, 38, 1, 17, 3, 1));
  check(large_problem(DType::kF32, 3, 40, 1, 33, 7, 2));
  check(large_problem(DType::kF32, 3, 32, 1, 47, 3, 2));
  check(large_problem(DType::kF32, 12, 64, 1, 13, 5, 1));
  check(large_problem(DType::kBF16, 3, 20, 1, 29, 3, 2));
  check(large_problem(DType::kF64, 130, 18, 1, 9, 3, 2));
  check(large_problem(DType::kF32, 1, 1, 70, 30, 3, 1));
  check(large_problem(DType::kF32, 1, 1, 21, 31, 3, 2));
  check(large_problem(DType::kF64, 1, 1, 12, 19, 5, 1));
  check(large_problem(DType::kBF16, 70, 10, 2, 9, 3, 1));
  check(large_problem(DType::kC64, 70, 9, 1, 7, 3, 1));
  check(large_problem(DType::kF32, 130, 140, 1, 9, 1, 1));
  check(large_problem(DType::kF32, 600, 40, 1, 9, 1, 2));
  check(large_problem(DType::kF32, 21, 38, 1, 45, 1, 1));
  check(large_problem(DType::kI32, 40, 5, 1, 46, 1, 1));
  set_num_threads(before);
}

// Large problems, the places of whose results are whole lines of cache: these are stored past them.
TEST(Conv, LargeDepthwiseResultsEqualTheDefinition) {
  struct Steps {
    int64_t stride, input_dilation;
  };
  Random random(7);
  const int before = num_threads();
  for (const auto [stride, input_dilation] : {Steps{1, 1}, Steps{1, 2}, Steps{2, 1}}) {
    Problem p = large_problem(DType::kF32, 1, 1, 64, 168, 3, stride);
    for (int d = 1; d < kConvAxes; ++d) {
      ConvAxis& a = p.args.axis[d];
      a.in = 168 / input_dilation;
      a.input_dilation = input_dilation;
    }
    p.lay_out(random, false, Inside::kFilters, false);
    p.y.assign(p.y.size() + 64, static_cast<char>(0x55));
    p.args.y = p.y.data() + (-reinterpret_cast<uintptr_t>(p.y.data()) & 63);
    SCOPED_TRACE(shown(p.args));
    expect_definition(p, false, "conv");
  }
  set_num_threads(before);
}

TEST(Conv, LargeResultsEqualTheDefinition) {
  Random random(8);
  const int before = num_threads();
  Problem p = large_problem(DType::kF32, 5, 80, 1, 167, 1, 1);
  p.lay_out(random, false, Inside::kFilters, false);
  p.y.assign(p.y.size() + 64, static_cast<char>(0x55));
  p.args.y = p.y.data() + (-reinterpret_cast<uintptr_t>(p.y.data()) & 63);
  expect_definition(p, false, "conv");
  set_num_threads(before);
}

// One line of each image, in several stretches.
TEST(Conv, LongLinesEqualTheDefinition) {
  Random random(9);
  const int before = num_threads();
  Problem p = large_problem(DType::kF32, 1, 70, 1, 1, 1, 1);
  p.args.axis[2].in = 20011;
  p.args.axis[2].taps = 10;
  p.args.axis[2].stride = 5;
  p.args.axis[2].low = 3;
  p.args.axis[2].out = (20011 + 3 + 6 - 10) / 5 + 1;
  p.lay_out(random, false, Inside::kTaps, false);
  expect_definition(p, false, "conv");
  set_num_threads(before);
}

// 0 * inf is NaN in the padding too, and there is one NaN.
TEST(Conv, PaddingIsData) {
  Random random(4);
  for (const DType dtype : {DType::kF32, DType::kF64}) {
    for (const int64_t groups : {1, 16}) {
      Problem p = large_problem(dtype, groups == 1 ? 16 : 1, groups == 1 ? 16 : 1, groups, 6, 3, 1);
      p.lay_out(random, false, Inside::kFilters, false);
      for (size_t i = 0; i < p.w.size(); i += 24) std::memset(p.w.data() + i, 0, 8);
      const double infinity = __builtin_inf();
      const float narrow = __builtin_inff();
      if (dtype == DType::kF64) {
        std::memcpy(p.w.data(), &infinity, 8);
      } else {
        std::memcpy(p.w.data(), &narrow, 4);
      }
      expect_definition(p, false, "conv");
    }
  }
}

}  // namespace
}  // namespace weft::kernels
