// take and gather: whole rows where an index chooses a row, elements otherwise.
#include "weft/kernels/index.h"

#include <atomic>

#include "weft/base/cpu.h"
#include "weft/kernels/index_plan.h"
#include "weft/kernels/stream.h"
#include "weft/kernels/tasks.h"
#include "weft/kernels/tile.h"

namespace weft::kernels {
namespace {

constexpr double kNsPerElement = 1.0, kNsPerByte = 0.05, kNsPerRow = 4.0;
constexpr int64_t kAhead = 4096;  // bytes between what is asked for and what is copied

struct Item16 {
  uint64_t low, high;
};

// One index for a whole row of `inner` items.
template <class Index>
void read_rows(const IndexPlan& plan, char* out, const ThreeLoops& in, int64_t item,
               std::atomic<bool>& bad) {
  const int64_t bytes = plan.inner * item, ahead = std::max<int64_t>(1, kAhead / bytes);
  const double ns = kNsPerRow + kNsPerByte * static_cast<double>(bytes);
  // Rows come from anywhere: what is read and written then does not stay in the caches.
  const bool bypass = bytes >= 512 && 2 * plan.outer * plan.along * bytes > kBypassBytes;
  // Cores with AVX-512 are quicker unasked, as long as lines are stored whole.
  const bool asks = bypass || current_isa() != Isa::avx512;
  in_tasks(plan.outer * plan.along, ns, [&](int64_t begin, int64_t end) {
    int64_t o = begin / plan.along, j = begin % plan.along;
    for (int64_t row = begin; row < end; ++row) {
      const uint64_t at = wrapped(index_at<Index>(plan.indices, o, j, 0), plan.axis_size);
      if (at >= static_cast<uint64_t>(plan.axis_size)) {
        bad.store(true, std::memory_order_relaxed);
        return;
      }
      const char* const from = in.data + o * in.outer + static_cast<int64_t>(at) * in.along;
      if (in.inner == item && !asks) {
        copy_run(out + row * bytes, from, bytes);
      } else if (in.inner == item) {
        const int64_t later = std::min(j + ahead, plan.along - 1);
        const uint64_t next = wrapped(index_at<Index>(plan.indices, o, later, 0), plan.axis_size);
        const bool is_inside = next < static_cast<uint64_t>(plan.axis_size);
        const Ahead soon{is_inside ? from + static_cast<int64_t>(next - at) * in.along : from,
                         bytes};
        copy_out(out + row * bytes, from, bytes, {&soon, 1}, bypass);
      } else {
        copy_tile({out + row * bytes, 0, item}, {from, 0, in.inner}, 1, plan.inner, item);
      }
      if (++j == plan.along) j = 0, ++o;
    }
    if (bypass) finish_bypass();
  });
}

// `count` elements at packed indices, in rounds whose indices are all looked at before one is used.
template <class Index, class T>
bool read_run(T* to, const Index* indices, int64_t count, const char* from, int64_t axis_size,
              int64_t along, int64_t inner) {
  constexpr int64_t kRound = 8;
  const auto size = static_cast<uint64_t>(axis_size);
  for (int64_t i = 0; i < count; i += kRound) {
    const int64_t round = std::min(kRound, count - i);
    uint64_t at[kRound];
    bool outside = false;
    const auto look = [&](int64_t r) {
      at[r] = wrapped(indices[i + r], axis_size);
      outside |= at[r] >= size;
    };
    const auto read = [&](int64_t r) {
      to[i + r] =
          *reinterpret_cast<const T*>(from + static_cast<int64_t>(at[r]) * along + (i + r) * inner);
    };
    if (round == kRound) {
      for (int64_t r = 0; r < kRound; ++r) look(r);
      if (outside) return false;
      for (int64_t r = 0; r < kRound; ++r) read(r);
    } else {
      for (int64_t r = 0; r < round; ++r) look(r);
      if (outside) return false;
      for (int64_t r = 0; r < round; ++r) read(r);
    }
  }
  return true;
}

// An index for every element.
template <class Index, class T>
void read_elements(const IndexPlan& plan, char* out, const ThreeLoops& in, std::atomic<bool>& bad) {
  const int64_t rows = plan.outer * plan.along;
  const bool packed = plan.indices.inner == sizeof(Index);
  in_tasks(plan.numel(), kNsPerElement, [&](int64_t begin, int64_t end) {
    T* to = reinterpret_cast<T*>(out) + begin;
    for (int64_t row = begin / plan.inner, i = begin % plan.inner; row < rows; ++row, i = 0) {
      const int64_t o = row / plan.along, j = row % plan.along;
      const char* const from = in.data + o * in.outer;
      const int64_t stop = std::min(plan.inner, i + (end - begin)), count = stop - i;
      begin += count;
      if (packed) {
        const auto* const indices = reinterpret_cast<const Index*>(
            plan.indices.data + o * plan.indices.outer + j * plan.indices.along);
        if (!read_run<Index, T>(to, indices + i, count, from + i * in.inner, plan.axis_size,
                                in.along, in.inner)) {
          bad.store(true, std::memory_order_relaxed);
          return;
        }
        to += count;
      } else {
        for (; i < stop; ++i) {
          const uint64_t at = wrapped(index_at<Index>(plan.indices, o, j, i), plan.axis_size);
          if (at >= static_cast<uint64_t>(plan.axis_size)) {
            bad.store(true, std::memory_order_relaxed);
            return;
          }
          *to++ = *reinterpret_cast<const T*>(from + static_cast<int64_t>(at) * in.along +
                                              i * in.inner);
        }
      }
      if (begin >= end) return;
    }
  });
}

// One row of indices for all rows: looked at once, and then only read by.
template <class Index, class T>
void read_same_elements(const IndexPlan& plan, char* out, const ThreeLoops& in,
                        std::atomic<bool>& bad) {
  const Scratch scratch(plan.inner * int64_t{sizeof(int64_t)});
  auto* const offsets = reinterpret_cast<int64_t*>(scratch.data());
  for (int64_t i = 0; i < plan.inner; ++i) {
    const uint64_t at = wrapped(index_at<Index>(plan.indices, 0, 0, i), plan.axis_size);
    if (at >= static_cast<uint64_t>(plan.axis_size)) return bad.store(true);
    offsets[i] = static_cast<int64_t>(at) * in.along;
  }
  const double ns = 0.5 * kNsPerElement * static_cast<double>(plan.inner);
  in_tasks(plan.outer, ns, [&](int64_t begin, int64_t end) {
    for (int64_t o = begin; o < end; ++o) {
      T* const to = reinterpret_cast<T*>(out) + o * plan.inner;
      const char* const from = in.data + o * in.outer;
      for (int64_t i = 0; i < plan.inner; ++i)
        to[i] = *reinterpret_cast<const T*>(from + offsets[i]);
    }
  });
}

// An axis that is last: the indices are then walked as the inner loop.
void fold_inner(IndexPlan& plan, ThreeLoops& in) {
  if (plan.inner != 1) return;
  plan.inner = std::exchange(plan.along, 1);
  plan.indices.inner = std::exchange(plan.indices.along, 0);
  in.inner = 0;
}

template <class Index>
void read_with(IndexPlan plan, char* out, ThreeLoops in, int64_t item, std::atomic<bool>& bad) {
  if (plan.inner > 1 && plan.indices.inner == 0) {
    return read_rows<Index>(plan, out, in, item, bad);
  }
  fold_inner(plan, in);
  const auto read_as = [&]<class T>(T) {
    const bool same = plan.along == 1 && plan.outer > 1 && plan.indices.outer == 0 && in.inner == 0;
    same ? read_same_elements<Index, T>(plan, out, in, bad)
         : read_elements<Index, T>(plan, out, in, bad);
  };
  switch (item) {
    case 1: return read_as(uint8_t());
    case 2: return read_as(uint16_t());
    case 4: return read_as(uint32_t());
    case 8: return read_as(uint64_t());
    default: return read_as(Item16());
  }
}

void read(const IndexPlan& plan, const Tensor& out, const ThreeLoops& in, const Tensor& indices,
          int64_t axis, Blame blame) {
  if (plan.numel() == 0) return;
  std::atomic<bool> bad{false};
  char* const to = operand_of(out).data;
  const int64_t item = size_of(out.dtype());
  if (indices.dtype() == DType::kI32) {
    read_with<int32_t>(plan, to, in, item, bad);
  } else {
    read_with<int64_t>(plan, to, in, item, bad);
  }
  if (bad.load()) fail_index(indices, axis, plan.axis_size, blame);
}

}  // namespace

void take(const Tensor& out, const Tensor& in, const Tensor& indices, int64_t axis, Blame blame) {
  const Operand from = operand_of(in);
  Packed packed_indices, packed_in;
  IndexPlan plan = plan_take(indices, in.shape(), axis, packed_indices);
  read(plan, out, three_loops(from, axis, axis + 1, nullptr, packed_in), indices, axis, blame);
}

void gather(const Tensor& out, const Tensor& in, const Tensor& indices, int64_t axis, Blame blame) {
  Packed packed_indices, packed_in;
  IndexPlan plan = plan_gather(indices, in.dim(axis).value(), axis, packed_indices);
  // Of `in` only the extents of out are read, but along the axis all of it.
  Shape sizes(out.shape());
  sizes[static_cast<size_t>(axis)] = in.dim(axis);
  read(plan, out, three_loops(operand_of(in), axis, axis + 1, sizes.data(), packed_in), indices,
       axis, blame);
}

}  // namespace weft::kernels
