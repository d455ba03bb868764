// Brings the tensors of a convolution into the layout and the type its kernels read.
#include "weft/kernels/conv/source.h"

#include "weft/base/checked.h"
#include "weft/kernels/copy.h"
#include "weft/kernels/tasks.h"

namespace weft::kernels {
namespace {

constexpr int kRank = kConvAxes + 2;

void row_major(const SourceShape& shape, int64_t (&strides)[kRank]) {
  int64_t stride = 1;
  for (int d = kRank; d-- > 0;) {
    strides[d] = stride;
    stride *= greater(shape.sizes[d], 1);
  }
}

void copy_row_major(const SourceShape& shape, char* to) {
  Dim dims[kRank];
  int64_t strides[kRank];
  row_major(shape, strides);
  for (int d = 0; d < kRank; ++d) dims[d] = shape.sizes[d];
  const auto item = static_cast<uint8_t>(size_of(shape.dtype));
  const Operand out{to, dims, strides, shape.count(), kRank, item, true};
  const Operand in{
      const_cast<char*>(shape.data), dims, shape.strides, shape.count(), kRank, item, false};
  copy(out, in);
}

// A panel of `lanes` columns is dense: packing it converts elements in order.
template <class T>
void widen(const ConvTools<T>& tools, const char* from, int64_t count, T* to) {
  const int64_t lanes = tools.product->lanes, steps = count / lanes, rest = count % lanes;
  in_tasks(steps, static_cast<double>(lanes) * 0.3, [&](int64_t begin, int64_t end) {
    tools.storage->pack_b(Packing{to + begin * lanes, from + begin * lanes * tools.element, lanes,
                                  end - begin, 1, lanes});
  });
  if (rest > 0) {
    tools.storage->pack_b(
        Packing{to + steps * lanes, from + steps * lanes * tools.element, rest, 1, 1, lanes});
  }
}

}  // namespace

bool SourceShape::is_contiguous() const {
  int64_t expected[kRank];
  row_major(*this, expected);
  for (int d = 0; d < kRank; ++d) {
    if (sizes[d] > 1 && strides[d] != expected[d]) return false;
  }
  return true;
}

int64_t SourceShape::count() const {
  int64_t out = 1;
  for (const int64_t size : sizes) out *= size;
  return out;
}

Packed::Packed(const SourceShape& shape) : data(shape.data), row(shape.sizes[kRank - 1]) {
  if (shape.is_contiguous()) return;
  copy_.renew(shape.count() * size_of(shape.dtype));
  copy_row_major(shape, copy_.as<char>());
  data = copy_.as<char>();
}

template <class T>
Source<T>::Source(const ConvTools<T>& tools, const SourceShape& shape, bool contiguous) {
  const bool converts = tools.storage->store != nullptr;
  const bool rows_lie_apart = shape.strides[kRank - 1] != 1 && shape.sizes[kRank - 1] != 1;
  const char* from = shape.data;
  int64_t kept[kRank];
  row_major(shape, kept);
  if (rows_lie_apart || ((converts || contiguous) && !shape.is_contiguous())) {
    copy_.renew(shape.count() * tools.element);
    copy_row_major(shape, copy_.as<char>());
    from = copy_.as<char>();
  } else if (!converts && !contiguous) {
    for (int d = 0; d < kRank; ++d) kept[d] = shape.strides[d];
  }
  for (int d = 0; d + 1 < kRank; ++d) strides[d] = kept[d] * tools.parts;
  data = reinterpret_cast<const T*>(from);
  if (!converts) return;
  wide_.renew((shape.count() + tools.product->lanes) * int64_t{sizeof(T)});
  widen(tools, from, shape.count(), wide_.as<T>());
  data = wide_.as<T>();
}

template struct Source<float>;
template struct Source<double>;
template struct Source<uint32_t>;
template struct Source<uint64_t>;

}  // namespace weft::kernels
