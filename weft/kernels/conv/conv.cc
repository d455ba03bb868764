// The entry: dtype to accumulator and storage, input dilation to phases, shape to path.
#include "weft/kernels/conv/conv.h"

#include <algorithm>
#include <vector>

#include "weft/base/checked.h"
#include "weft/base/cpu.h"
#include "weft/kernels/conv/phases.h"
#include "weft/kernels/conv/problem.h"
#include "weft/kernels/conv/source.h"
#include "weft/kernels/copy.h"
#include "weft/kernels/matmul/workspace.h"
#include "weft/kernels/tasks.h"

namespace weft::kernels {
namespace {

struct Tiers {
  const Tier* product;
  const ConvTier* conv;
};

Tiers current_tiers() {
#if defined(__x86_64__)
  switch (current_isa()) {
    case Isa::avx2: return {&avx2::kTier, &avx2::kConvTier};
    case Isa::avx512: return {&avx512::kTier, &avx512::kConvTier};
    case Isa::portable: break;
  }
#endif
  return {&portable::kTier, &portable::kConvTier};
}

template <class T>
bool is_depthwise(const ConvProblem<T>& p) {
  return p.channels == 1 && p.filters == 1 && p.groups >= 4 && p.taps() <= kChain;
}

template <class T>
void clear(T* to, int64_t count) {
  in_tasks(count, 0.1, [&](int64_t begin, int64_t end) { std::fill(to + begin, to + end, T(0)); });
}

template <class T>
void run_phases(const ConvArgs& args, const ConvProblem<T>& p, int64_t y_size) {
  bool leaves_out = false;
  for_each_phase(args, [&](const Phase& a, const Phase& b, const Phase& c) {
    leaves_out = leaves_out || a.is_empty || b.is_empty || c.is_empty;
  });
  if (leaves_out) clear(p.y, y_size);
  std::vector<ConvProblem<T>> depthwise;
  for_each_phase(args, [&](const Phase& a, const Phase& b, const Phase& c) {
    if (a.is_empty || b.is_empty || c.is_empty) return;
    ConvProblem<T> part = p;
    const Phase* const phases[] = {&a, &b, &c};
    for (int d = 0; d < kConvAxes; ++d) {
      const int64_t x_stride = p.axis[d].x_stride;
      part.axis[d] = phases[d]->axis;
      part.axis[d].x_stride = x_stride;
      part.y += phases[d]->y_offset * p.tools.parts;
      part.axis[d].y_stride *= p.tools.parts;
      part.w += phases[d]->w_offset * p.tools.element;
    }
    if (is_depthwise(p)) return depthwise.push_back(part);
    if (has_few_filters(part)) return conv_few_filters(part);
    has_few_channels(part) ? conv_few_channels(part) : conv_places(part);
  });
  conv_depthwise(std::span<const ConvProblem<T>>(depthwise));
}

template <class T>
ConvProblem<T> problem_of(const ConvArgs& args, const ConvTools<T>& tools, const Source<T>& x) {
  ConvProblem<T> p{};
  p.tools = tools;
  p.batch = args.batch;
  p.groups = args.groups;
  p.channels = args.channels * tools.parts;
  p.filters = args.filters * tools.parts;
  for (int d = 0; d < kConvAxes; ++d) {
    p.axis[d] = args.axis[d];
    p.axis[d].x_stride = x.strides[d + 1];
    p.axis[d].y_stride *= tools.parts;
  }
  p.x = x.data;
  p.x_batch = x.strides[0];
  p.w = args.w;
  p.w_channel = args.w_channel;
  p.w_filter = args.w_filter;
  p.w_keeper = args.w_keeper;
  p.y_batch = args.y_batch * tools.parts;
  return p;
}

SourceShape x_of(const ConvArgs& args) {
  return {
      args.dtype,
      args.x,
      {args.batch, args.axis[0].in, args.axis[1].in, args.axis[2].in, args.groups * args.channels},
      {args.x_batch, args.axis[0].x_stride, args.axis[1].x_stride, args.axis[2].x_stride,
       args.x_channel}};
}
SourceShape y_of(const ConvArgs& args) {
  return {args.dtype,
          args.y,
          {args.batch, args.axis[0].out, args.axis[1].out, args.axis[2].out,
           args.groups * args.filters},
          {args.y_batch, args.axis[0].y_stride, args.axis[1].y_stride, args.axis[2].y_stride,
           args.y_channel}};
}

// Accumulators to the dtype of `to`, in order.
template <class T>
void store_all(const ConvTools<T>& tools, const T* from, char* to, int64_t count) {
  in_tasks(count, 1.0, [&](int64_t begin, int64_t end) {
    tools.storage->store(Storing{from + begin, 0, to + begin * tools.element, 0, 1, end - begin});
  });
}

template <class T>
void run_conv(const ConvArgs& args, const ConvTools<T>& tools) {
  const Source<T> x(tools, x_of(args), false);
  ConvProblem<T> p = problem_of(args, tools, x);
  const int64_t filters = args.groups * p.filters, size = checked_mul(p.rows(), filters);
  const bool is_direct = tools.storage->store == nullptr;
  const Workspace sums(is_direct ? 0 : size * int64_t{sizeof(T)});
  p.y = is_direct ? reinterpret_cast<T*>(args.y) : sums.as<T>();
  if (args.channels == 0) {
    clear(p.y, size);
  } else {
    run_phases(args, p, size);
  }
  if (!is_direct) store_all(tools, p.y, args.y, size);
}

// How accumulators of the weights lie, as strides: [taps.., channels, groups, filters].
struct WeightLayout {
  int64_t strides[kConvAxes + 3];
};

// Weights from one layout to that of args.w.
void copy_weights(const ConvArgs& args, char* from, const WeightLayout& own,
                  const WeightLayout& wanted) {
  constexpr int kRank = kConvAxes + 3;
  const Dim dims[kRank] = {args.axis[0].taps, args.axis[1].taps, args.axis[2].taps,
                           args.channels,     args.groups,       args.filters};
  int64_t count = 1;
  for (const Dim dim : dims) count *= dim.value();
  const auto item = static_cast<uint8_t>(size_of(args.dtype));
  copy(Operand{args.w, dims, wanted.strides, count, kRank, item, false},
       Operand{from, dims, own.strides, count, kRank, item, false});
}

template <class T>
WeightLayout layout_of(const ConvProblem<T>& p, bool joined) {
  if (joined && has_line_weights(p)) {
    const int64_t tap = p.channels * p.filters, line = p.axis[2].taps * tap;
    return {{p.axis[1].taps * line, line, tap, p.filters, p.filters, 1}};
  }
  const int64_t all = p.groups * p.filters * p.channels, t2 = p.axis[2].taps, t1 = p.axis[1].taps;
  const int64_t tap = joined ? p.channels : all, filter = p.channels * (joined ? p.taps() : 1);
  return {{t1 * t2 * tap, t2 * tap, tap, 1, p.filters * filter, filter}};
}

// The same but for axes of size 1.
template <class T>
bool is_same_layout(const ConvProblem<T>& p, const WeightLayout& a, const WeightLayout& b) {
  const int64_t sizes[] = {p.axis[0].taps, p.axis[1].taps, p.axis[2].taps,
                           p.channels,     p.groups,       p.filters};
  for (int d = 0; d < kConvAxes + 3; ++d) {
    if (sizes[d] > 1 && a.strides[d] != b.strides[d]) return false;
  }
  return true;
}

// The sums come in a layout of their own, as accumulators; w may want another, or its dtype.
template <class T>
void run_conv_dw(const ConvArgs& args, const ConvTools<T>& tools) {
  const Source<T> x(tools, x_of(args), false);
  const ConvProblem<T> p = problem_of(args, tools, x);
  const int64_t size = checked_mul(p.taps() * p.channels, p.groups * p.filters);
  const bool depthwise = p.channels == 1 && p.filters == 1 && p.groups >= 4;
  const WeightLayout own = layout_of(p, !depthwise && wants_padding(p));
  const WeightLayout wanted{{args.axis[0].w_stride, args.axis[1].w_stride, args.axis[2].w_stride,
                             args.w_channel, args.filters * args.w_filter, args.w_filter}};
  const bool converts = tools.storage->store != nullptr;
  const bool moves = !is_same_layout(p, own, wanted);
  const Workspace sums(converts || moves ? size * int64_t{sizeof(T)} : 0);
  const Workspace narrow(converts && moves ? size * tools.element : 0);
  T* const w = converts || moves ? sums.as<T>() : reinterpret_cast<T*>(args.w);
  if (depthwise) {
    const Source<T> y(tools, y_of(args), true);
    conv_dw_depthwise(p, y.data, y.strides[3], w);
  } else if (has_line_weights(p)) {
    const Source<T> y(tools, y_of(args), true);
    conv_dw_lines(p, y.data, y.strides[3], w);
  } else {
    const Packed y(y_of(args));
    conv_dw_places(p, y.data, y.row, w);
  }
  char* from = reinterpret_cast<char*>(w);
  if (converts) {
    from = moves ? narrow.as<char>() : args.w;
    store_all(tools, w, from, size);
  }
  if (moves) copy_weights(args, from, own, wanted);
}

// Calls body with the tools of the dtype.
template <class Body>
void with_tools(DType dtype, const Body& body) {
  const Tiers tiers = current_tiers();
  const Storage kind = storage_of(dtype);
  const StorageKernels* const storage = &tiers.product->storage[kind];
  const int64_t element = size_of(dtype), parts = is_complex(dtype) ? 2 : 1;
  switch (kind) {
    case kAsF64:
    case kAsC128:
      return body(
          ConvTools<double>{&tiers.product->f64, storage, &tiers.conv->f64, element, parts});
    case kAsU8:
    case kAsU16:
    case kAsU32:
      return body(
          ConvTools<uint32_t>{&tiers.product->u32, storage, &tiers.conv->u32, element, parts});
    case kAsU64:
      return body(
          ConvTools<uint64_t>{&tiers.product->u64, storage, &tiers.conv->u64, element, parts});
    default:
      return body(ConvTools<float>{&tiers.product->f32, storage, &tiers.conv->f32, element, parts});
  }
}

// One tap and few weights; false, and nothing done, if they are not such.
bool dw_thin(const ConvArgs& args) {
  if (!has_thin_weights(args)) return false;
  bool is_done = false;
  with_tools(args.dtype, [&](const auto& tools) {
    is_done = tools.storage->store == nullptr;
    if (is_done) conv_dw_thin(args, tools, single_tap_rows(args));
  });
  return is_done;
}

}  // namespace

void conv(const ConvArgs& args) {
  if (conv_single(args)) return;
  with_tools(args.dtype, [&](const auto& tools) { run_conv(args, tools); });
}

void conv_dw(const ConvArgs& given) {
  if (dw_thin(given)) return;
  const ConvArgs args = with_fewer_rows(given);
  if (conv_dw_single(args)) return;
  bool is_plain = !is_complex(args.dtype) && args.batch > 0;
  for (const ConvAxis& a : args.axis) is_plain = is_plain && a.input_dilation == 1;
  if (!is_plain) return conv_dw_by_definition(args);
  with_tools(args.dtype, [&](const auto& tools) { run_conv_dw(args, tools); });
}

}  // namespace weft::kernels
