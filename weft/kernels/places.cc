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

// offsets[p] (+)= place of indices[p] * stride; false if an index is out of range.
template <class Index>
bool add_offsets(const ThreeLoops& indices, int64_t count, int64_t size, int64_t stride,
                 bool is_first, int64_t* offsets) {
  std::atomic<bool> good{true};
  in_tasks(count, kNsPerIndex, [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      const uint64_t at = wrapped(index_at<Index>(indices, 0, p, 0), size);
      if (at >= static_cast<uint64_t>(size)) {
        good.store(false, std::memory_order_relaxed);
        return;
      }
      const int64_t offset = static_cast<int64_t>(at) * stride;
      offsets[p] = is_first ? offset : offsets[p] + offset;
    }
  });
  return good.load();
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
    const ThreeLoops loops =
        three_loops(operand_of(wide), 0, rank_of(joint), nullptr, packed_index);
    const size_t d = static_cast<size_t>(first) + k;
    const int64_t size = shape[d].value(), stride = operand.strides[d] * operand.item;
    const bool good = wide.dtype() == DType::kI32
                          ? add_offsets<int32_t>(loops, count, size, stride, k == 0, offsets)
                          : add_offsets<int64_t>(loops, count, size, stride, k == 0, offsets);
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
