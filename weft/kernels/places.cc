// Offsets of the places that indices name, and index_at, which reads there.
#include "weft/kernels/places.h"

#include <atomic>

#include "weft/kernels/copy.h"
#include "weft/kernels/stream.h"
#include "weft/kernels/tasks.h"
#include "weft/kernels/tile.h"

namespace weft::kernels {
namespace {

constexpr double kNsPerIndex = 1.0, kNsPerElement = 1.0, kNsPerByte = 0.05, kNsPerRow = 4.0;

struct Item16 {
  uint64_t low, high;
};

Shape joint_shape(TensorSpan indices) {
  Shape out;
  for (const Tensor& index : indices) {
    const ShapeView shape = index.shape();
    while (out.size() < shape.size()) out.insert(0, Dim(1));
    const size_t before = out.size() - shape.size();
    for (size_t d = 0; d < shape.size(); ++d) {
      if (!(shape[d] == Dim(1))) out[before + d] = shape[d];
    }
  }
  return out;
}

// The tensor repeated along the axes it does not have, or has with size 1.
Tensor spread_to(const Tensor& x, const Shape& shape) {
  Ints strides(shape.size(), 0);
  const size_t before = shape.size() - x.shape().size();
  for (size_t d = before; d < shape.size(); ++d) {
    if (!(x.shape()[d - before] == Dim(1))) strides[d] = x.strides()[d - before];
  }
  return x.view(shape, strides);
}

// One axis of an index, as rows: element (row, i) is at data + row * row_step + i * step.
struct IndexRows {
  const char* data;
  int64_t rows, length, row_step, step;
};

// Adds an offset to each of `count`, or sets it.
template <bool is_first, class Index>
bool add_run(const char* from, int64_t step, int64_t count, int64_t size, int64_t stride,
             int64_t* offsets) {
  const auto offset_of = [&](const char* at) {
    return static_cast<int64_t>(wrapped(*reinterpret_cast<const Index*>(at), size));
  };
  int outside = 0;
  // Without signs, for what is outside may overflow; it is never read.
  const auto add = [&](int64_t p, int64_t at) {
    const auto place = static_cast<uint64_t>(at);
    const auto before = is_first ? 0 : static_cast<uint64_t>(offsets[p]);
    outside |= place >= static_cast<uint64_t>(size);
    offsets[p] = static_cast<int64_t>(before + place * static_cast<uint64_t>(stride));
  };
  if (step == 0) {
    const int64_t at = offset_of(from);
    for (int64_t p = 0; p < count; ++p) add(p, at);
  } else if (step == sizeof(Index)) {
    for (int64_t p = 0; p < count; ++p) add(p, offset_of(from + p * int64_t{sizeof(Index)}));
  } else {
    for (int64_t p = 0; p < count; ++p) add(p, offset_of(from + p * step));
  }
  return outside == 0;
}

// offsets[p] (+)= place of indices[p] * stride; false if an index is out of range.
template <class Index>
bool add_offsets(const IndexRows& indices, int64_t size, int64_t stride, bool is_first,
                 int64_t* offsets) {
  std::atomic<bool> good{true};
  in_tasks(indices.rows * indices.length, kNsPerIndex, [&](int64_t begin, int64_t end) {
    while (begin < end) {
      const int64_t row = begin / indices.length, i = begin % indices.length;
      const int64_t count = std::min(end - begin, indices.length - i);
      const char* const from = indices.data + row * indices.row_step + i * indices.step;
      const auto add = is_first ? add_run<true, Index> : add_run<false, Index>;
      if (!add(from, indices.step, count, size, stride, offsets + begin)) {
        good.store(false, std::memory_order_relaxed);
        return;
      }
      begin += count;
    }
  });
  return good.load();
}

// The rows of an index: dims that merge with the last one are its columns, the others its rows. One
// that is neither is copied.
IndexRows rows_of(const Operand& index, Packed& packed) {
  int64_t length = 1, columns = 0, rows = 0;
  for (int first = index.rank; first > 0; --first) {
    const int64_t inner = length;
    length *= index.dims[first - 1].value();
    if (merge(index, index.dims, first - 1, index.rank, &columns)) continue;
    merge(index, index.dims, first, index.rank, &columns);
    if (!merge(index, index.dims, 0, first, &rows)) break;
    return {index.data, index.numel / inner, inner, rows, columns};
  }
  const ThreeLoops all = three_loops(index, 0, index.rank, nullptr, packed);
  return {all.data, 1, index.numel, 0, all.along};
}

int64_t extent(ShapeView shape) { return num_elements(shape).value(); }

template <class T>
void read_elements(const Places& places, T* out) {
  const int64_t* const offsets = places.offsets();
  in_tasks(places.outer * places.count, kNsPerElement, [&](int64_t begin, int64_t end) {
    for (int64_t o = begin / places.count, p = begin % places.count; begin < end; ++o, p = 0) {
      const char* const from = places.base.data + o * places.base.outer;
      const int64_t stop = std::min(places.count, p + (end - begin));
      for (; p < stop; ++p) out[begin++] = *reinterpret_cast<const T*>(from + offsets[p]);
    }
  });
}

void read_rows(const Places& places, char* out, int64_t item) {
  const int64_t* const offsets = places.offsets();
  const int64_t bytes = places.inner * item;
  const double ns = kNsPerRow + kNsPerByte * static_cast<double>(bytes);
  in_tasks(places.outer * places.count, ns, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const char* const from =
          places.base.data + row / places.count * places.base.outer + offsets[row % places.count];
      if (places.base.inner == item) {
        copy_run(out + row * bytes, from, bytes);
      } else {
        copy_tile({out + row * bytes, 0, item}, {from, 0, places.base.inner}, 1, places.inner,
                  item);
      }
    }
  });
}

}  // namespace

Places::Places(const Tensor& in, TensorSpan indices, int64_t first, const Ints& axes, Blame blame)
    : packed_(in), scratch_(extent(joint_shape(indices)) * int64_t{sizeof(int64_t)}) {
  const int64_t last = first + static_cast<int64_t>(indices.size());
  const ShapeView shape = in.shape();
  const Shape joint = joint_shape(indices);
  count = extent(joint);
  outer = extent(shape.subspan(0, static_cast<size_t>(first)));
  inner = extent(shape.subspan(static_cast<size_t>(last)));
  Operand operand = operand_of(in);
  if (!merge(operand, operand.dims, 0, first, &base.outer) ||
      !merge(operand, operand.dims, last, operand.rank, &base.inner)) {
    packed_ = Tensor::empty(in.dtype(), shape);
    copy(operand_of(packed_), operand);
    operand = operand_of(packed_);
    merge(operand, operand.dims, 0, first, &base.outer);
    merge(operand, operand.dims, last, operand.rank, &base.inner);
  }
  base.data = operand.data;
  auto* const offsets = reinterpret_cast<int64_t*>(scratch_.data());
  for (size_t k = 0; k < indices.size(); ++k) {
    const Tensor wide = spread_to(indices[k], joint);
    Packed packed_index;
    const IndexRows rows = rows_of(operand_of(wide), packed_index);
    const size_t d = static_cast<size_t>(first) + k;
    const int64_t size = shape[d].value(), stride = operand.strides[d] * operand.item;
    const bool good = wide.dtype() == DType::kI32
                          ? add_offsets<int32_t>(rows, size, stride, k == 0, offsets)
                          : add_offsets<int64_t>(rows, size, stride, k == 0, offsets);
    if (!good) fail_index(indices[k], axes[k], size, blame);
  }
}

void index_at(const Tensor& out, const Tensor& in, TensorSpan indices, int64_t first,
              const Ints& axes, Blame blame) {
  const Places places(in, indices, first, axes, blame);
  if (places.empty()) return;
  void* const to = operand_of(out).data;
  const int64_t item = size_of(out.dtype());
  if (places.inner > 1) return read_rows(places, static_cast<char*>(to), item);
  switch (item) {
    case 1: return read_elements(places, static_cast<uint8_t*>(to));
    case 2: return read_elements(places, static_cast<uint16_t*>(to));
    case 4: return read_elements(places, static_cast<uint32_t*>(to));
    case 8: return read_elements(places, static_cast<uint64_t*>(to));
    default: return read_elements(places, static_cast<Item16*>(to));
  }
}

}  // namespace weft::kernels
