// Arrays of the suite: making, converting, comparing.
#include "tests/op_suite/arrays.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "weft/op/apply.h"

namespace weft::suite {
namespace {

template <class T>
T load(const char* from) {
  T out;
  std::memcpy(&out, from, sizeof out);
  return out;
}
template <class T>
void store(char* to, T value) {
  std::memcpy(to, &value, sizeof value);
}

ScalarValue load_scalar(DType dtype, const char* at) {
  switch (dtype) {
    case DType::kBool:
    case DType::kU8: return {0, 0, load<uint8_t>(at)};
    case DType::kI8: return {0, 0, load<int8_t>(at)};
    case DType::kU16: return {0, 0, load<uint16_t>(at)};
    case DType::kI16: return {0, 0, load<int16_t>(at)};
    case DType::kU32: return {0, 0, load<uint32_t>(at)};
    case DType::kI32: return {0, 0, load<int32_t>(at)};
    case DType::kU64:
    case DType::kI64: return {0, 0, load<int64_t>(at)};
    case DType::kF16: return {Half{load<uint16_t>(at)}.to_float(), 0, 0};
    case DType::kBF16: return {BFloat16{load<uint16_t>(at)}.to_float(), 0, 0};
    case DType::kF32: return {load<float>(at), 0, 0};
    case DType::kF64: return {load<double>(at), 0, 0};
    case DType::kC64: return {load<float>(at), load<float>(at + 4), 0};
    case DType::kC128: return {load<double>(at), load<double>(at + 8), 0};
  }
  return {};
}

void store_scalar(DType dtype, const ScalarValue& v, char* to) {
  switch (dtype) {
    case DType::kBool:
    case DType::kU8:
    case DType::kI8: store(to, static_cast<int8_t>(v.i)); return;
    case DType::kU16:
    case DType::kI16: store(to, static_cast<int16_t>(v.i)); return;
    case DType::kU32:
    case DType::kI32: store(to, static_cast<int32_t>(v.i)); return;
    case DType::kU64:
    case DType::kI64: store(to, v.i); return;
    case DType::kF16: store(to, Half::from_float(static_cast<float>(v.re)).bits); return;
    case DType::kBF16: store(to, BFloat16::from_float(static_cast<float>(v.re)).bits); return;
    case DType::kF32: store(to, static_cast<float>(v.re)); return;
    case DType::kF64: store(to, static_cast<double>(v.re)); return;
    case DType::kC64:
      store(to, static_cast<float>(v.re));
      store(to + 4, static_cast<float>(v.im));
      return;
    case DType::kC128:
      store(to, static_cast<double>(v.re));
      store(to + 8, static_cast<double>(v.im));
      return;
  }
}

Shape to_shape(const std::vector<int64_t>& dims) { return Shape(dims.begin(), dims.end()); }

bool is_exact(DType dtype) { return kind_of(dtype) <= Kind::kInteger; }

// Calls visit(row-major position, address) for every element of a tensor.
template <class Visit>
void for_each(const Tensor& tensor, Visit visit) {
  const auto rank = static_cast<size_t>(tensor.rank());
  std::vector<int64_t> index(rank);
  const int64_t size = size_of(tensor.dtype());
  char* at = static_cast<char*>(tensor.writable_data());
  for (int64_t i = 0; i < tensor.numel(); ++i) {
    visit(i, at);
    for (size_t k = rank; k-- > 0;) {
      const int64_t step = tensor.strides()[k] * size;
      at += step;
      if (++index[k] < tensor.shape()[k].value()) break;
      at -= step * index[k];
      index[k] = 0;
    }
  }
}

// Of one part of a number; `scale` is the size of the whole number, plus one.
std::string part_difference(long double got, long double wanted, long double scale,
                            double tolerance, bool zero_signs) {
  if (std::isnan(got) || std::isnan(wanted))
    return std::isnan(got) == std::isnan(wanted) ? "" : "NaN";
  if (std::isinf(got) || std::isinf(wanted)) return got == wanted ? "" : "infinity";
  if (zero_signs && got == 0 && wanted == 0 && std::signbit(got) != std::signbit(wanted))
    return "sign of zero";
  return std::abs(got - wanted) <= tolerance * scale ? "" : "value";
}

}  // namespace

double Random::uniform(double low, double high) {
  return low + (high - low) * static_cast<double>(next() >> 11) * 0x1p-53;
}

uint64_t Random::next() {
  uint64_t z = state_ += 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

ScalarValue value_of(DType dtype, double re, double im) {
  if (dtype == DType::kBool) return {0, 0, re > 0};
  if (is_unsigned_integer(dtype)) return {0, 0, static_cast<int64_t>(std::abs(std::round(re)))};
  if (is_integer(dtype)) return {0, 0, static_cast<int64_t>(std::round(re))};
  char bytes[16] = {};
  store_scalar(dtype, {re, is_complex(dtype) ? im : 0, 0}, bytes);
  return load_scalar(dtype, bytes);
}

Array make_array(const Arg& arg, DType dtype, Random& random) {
  Array out{arg.dtype.value_or(dtype), arg.shape, {}};
  const int64_t n = count(arg.shape);
  std::vector<double> values = arg.values;
  if (values.empty()) {
    for (int64_t i = 0; i < n; ++i) {
      // Distinct values lie on a grid, in a random order.
      values.push_back(arg.distinct
                           ? arg.low + (arg.high - arg.low) * (static_cast<double>(i) + 0.5) /
                                           static_cast<double>(n)
                           : random.uniform(arg.low, arg.high));
    }
    if (arg.distinct) {
      for (size_t i = values.size(); i > 1; --i)
        std::swap(values[i - 1], values[random.next() % i]);
    }
  }
  for (size_t i = 0; arg.diagonal != 0 && i < values.size(); ++i) {
    const std::vector<int64_t> at = unravel(static_cast<int64_t>(i), arg.shape);
    if (at[at.size() - 1] == at[at.size() - 2]) values[i] += arg.diagonal;
  }
  for (double value : values) {
    out.values.push_back(value_of(out.dtype, value, random.uniform(arg.low, arg.high)));
  }
  return out;
}

Tensor to_tensor(const Array& array) {
  const Tensor out = Tensor::empty(array.dtype, to_shape(array.shape));
  for_each(out, [&](int64_t i, char* at) {
    store_scalar(array.dtype, array.values[static_cast<size_t>(i)], at);
  });
  return out;
}

Array to_array(const Tensor& tensor) {
  Array out{tensor.dtype(), {}, {}};
  for (Dim dim : tensor.shape()) out.shape.push_back(dim.value());
  out.values.resize(static_cast<size_t>(tensor.numel()));
  for_each(tensor, [&](int64_t i, char* at) {
    out.values[static_cast<size_t>(i)] = load_scalar(tensor.dtype(), at);
  });
  return out;
}

Tensor with_layout(const Array& array, int layout) {
  const size_t rank = array.shape.size();
  std::vector<int64_t> storage = array.shape;
  if (layout == 1) {
    for (int64_t& size : storage) size *= 2;
  }
  Ints strides(rank, 0);
  int64_t stride = 1, offset = 0;
  for (size_t k = 0; k < rank; ++k) {
    const size_t axis = layout == 0 ? k : rank - 1 - k;
    strides[axis] = stride * (layout == 1 ? 2 : 1);
    stride *= std::max<int64_t>(storage[axis], 1);
    if (layout == 2) {
      offset += strides[axis] * std::max<int64_t>(array.shape[axis] - 1, 0);
      strides[axis] = -strides[axis];
    }
  }
  const Tensor memory = Tensor::empty(array.dtype, {{Dim(stride)}});
  std::memset(memory.writable_data(), 0x55, static_cast<size_t>(stride * size_of(array.dtype)));
  const Tensor out =
      memory.view(to_shape(array.shape), strides, count(array.shape) == 0 ? 0 : offset);
  for_each(out, [&](int64_t i, char* at) {
    store_scalar(array.dtype, array.values[static_cast<size_t>(i)], at);
  });
  return out;
}

bool same_bits(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || same(a.shape(), b.shape()) != Tri::kYes) return false;
  const auto size = static_cast<size_t>(size_of(a.dtype()));
  std::vector<char> bytes(static_cast<size_t>(a.numel()) * size);
  for_each(a, [&](int64_t i, char* at) {
    std::memcpy(&bytes[static_cast<size_t>(i) * size], at, size);
  });
  bool equal = true;
  for_each(b, [&](int64_t i, char* at) {
    equal &= std::memcmp(&bytes[static_cast<size_t>(i) * size], at, size) == 0;
  });
  return equal;
}

std::string difference(const Array& got, const Array& wanted, double tolerance, bool zero_signs) {
  if (got.shape != wanted.shape) return text("shape ", got.shape, " but expected ", wanted.shape);
  if (got.dtype != wanted.dtype) return text("dtype ", got.dtype, " but expected ", wanted.dtype);
  for (size_t i = 0; i < wanted.values.size(); ++i) {
    const ScalarValue &g = got.values[i], &w = wanted.values[i];
    std::string kind;
    if (is_exact(got.dtype)) {
      kind = g.i == w.i ? "" : "value";
    } else {
      const bool pair = is_complex(got.dtype);
      const auto finite = [](long double x) { return std::isfinite(x) ? std::abs(x) : 0; };
      const long double scale = 1 + std::hypot(finite(w.re), finite(w.im));
      kind = part_difference(g.re, w.re, scale, tolerance, zero_signs);
      if (kind.empty() && pair) kind = part_difference(g.im, w.im, scale, tolerance, zero_signs);
    }
    if (!kind.empty()) {
      return text(kind, " at ", unravel(static_cast<int64_t>(i), wanted.shape), ": got ",
                  static_cast<double>(g.re), "+", static_cast<double>(g.im), "i (", g.i,
                  "), expected ", static_cast<double>(w.re), "+", static_cast<double>(w.im), "i (",
                  w.i, ")");
    }
  }
  return "";
}

Tensors run(const OpEntry& entry, TensorSpan in, const void* attrs) {
  return entry.op != nullptr ? apply_all(*entry.op, in, attrs, Where{})
                             : compose_all(*entry.composite, in, attrs, Where{});
}

double tolerance_of(DType dtype) {
  switch (dtype) {
    case DType::kF16: return 2e-3;
    case DType::kBF16: return 1.6e-2;
    case DType::kF32:
    case DType::kC64: return 2e-6;
    case DType::kF64:
    case DType::kC128: return 4e-15;
    default: return 0;
  }
}

int64_t count(const std::vector<int64_t>& shape) {
  int64_t out = 1;
  for (int64_t size : shape) out *= size;
  return out;
}

std::vector<int64_t> unravel(int64_t position, const std::vector<int64_t>& shape) {
  std::vector<int64_t> out(shape.size());
  for (size_t k = shape.size(); k-- > 0;) {
    out[k] = shape[k] == 0 ? 0 : position % shape[k];
    position = shape[k] == 0 ? 0 : position / shape[k];
  }
  return out;
}

int64_t ravel(const std::vector<int64_t>& index, const std::vector<int64_t>& shape) {
  int64_t out = 0;
  for (size_t k = 0; k < shape.size(); ++k) out = out * shape[k] + index[k];
  return out;
}

Array like(const Array& x, std::vector<int64_t> shape) {
  Array out{x.dtype, std::move(shape), {}};
  out.values.resize(static_cast<size_t>(count(out.shape)));
  return out;
}

std::vector<OpTest>& op_tests() {
  static auto* const tests = new std::vector<OpTest>;
  return *tests;
}

}  // namespace weft::suite
