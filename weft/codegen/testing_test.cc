// Buffers full of special and random values, and calls of kernels on them.
#include "weft/codegen/testing.h"

#include <gtest/gtest.h>

#include <bit>

#include "weft/codegen/row_plan.h"
#include "weft/core/half.h"

namespace weft::codegen {
namespace {

double special_float(Random& random) {
  static constexpr double kValues[] = {0.0,  -0.0,  1.0,   -1.0,    0.5,    -0.5,  1.5,    2.5,
                                       -2.5, 3.0,   127.5, -128.5,  255.5,  1e-3,  -1e-3,  88.7,
                                       -104, 65504, 65520, 3.4e38,  -3e38,  1e-40, 6e-8,   1e300,
                                       -710, 2e9,   4.3e9, -2.15e9, 9.3e18, 2e19,  5e-324, 700};
  const auto pick = random() % 40;
  if (pick < 32) return kValues[pick];
  if (pick == 32) return std::bit_cast<double>(uint64_t{0x7ff0000000000000});
  if (pick == 33) return std::bit_cast<double>(uint64_t{0xfff0000000000000});
  if (pick == 34) return std::bit_cast<double>(uint64_t{0x7ff8000000000000});
  return static_cast<double>(static_cast<int64_t>(random() % 2001) - 1000) / 64;
}

template <class T>
void put(Bytes& out, T value) {
  unsigned char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  out.insert(out.end(), bytes, bytes + sizeof(T));
}

void put_float(Bytes& out, DType dtype, Random& random) {
  const bool any_bits = random() % 3 == 0;
  const double value =
      random() % 2 ? special_float(random) : std::normal_distribution<double>(0, 3)(random);
  switch (dtype) {
    case DType::kF16:
      return put(out, any_bits ? static_cast<uint16_t>(random())
                               : Half::from_float(static_cast<float>(value)).bits);
    case DType::kBF16:
      return put(out, any_bits ? static_cast<uint16_t>(random())
                               : BFloat16::from_float(static_cast<float>(value)).bits);
    case DType::kF32:
      return put(out, any_bits ? std::bit_cast<float>(static_cast<uint32_t>(random()))
                               : static_cast<float>(value));
    default: return put(out, any_bits ? std::bit_cast<double>(random()) : value);
  }
}

void put_integer(Bytes& out, DType dtype, Random& random) {
  const auto bits = static_cast<int>(8 * size_of(dtype));
  uint64_t value = random();
  switch (random() % 8) {
    case 0: value = 0; break;
    case 1: value = ~uint64_t{0}; break;
    case 2: value = uint64_t{1} << (bits - 1); break;
    case 3: value = (uint64_t{1} << (bits - 1)) - 1; break;
    case 4:
    case 5: value %= 70; break;
    default: break;
  }
  for (int byte = 0; byte < bits / 8; ++byte)
    out.push_back(static_cast<unsigned char>(value >> 8 * byte));
}

}  // namespace

Bytes random_elements(DType dtype, int64_t count, Random& random) {
  Bytes out;
  for (int64_t i = 0; i < count; ++i) {
    if (dtype == DType::kBool) {
      out.push_back(random() % 2);
    } else if (is_complex(dtype)) {
      put_float(out, real_of(dtype), random);
      put_float(out, real_of(dtype), random);
    } else if (is_floating(dtype)) {
      put_float(out, dtype, random);
    } else {
      put_integer(out, dtype, random);
    }
  }
  return out;
}

std::vector<Bytes> random_inputs(const KernelSpec& spec, int64_t n, int64_t rows, Random& random) {
  std::vector<Bytes> in;
  for (const Operand& operand : spec.inputs) {
    in.push_back(random_elements(operand.dtype, (operand.scalar ? 1 : n) * rows, random));
  }
  return in;
}

std::vector<Bytes> run_map(const void* kernel, const KernelSpec& spec, const std::vector<Bytes>& in,
                           int64_t n, int64_t rows, uint64_t position, int64_t scratch) {
  constexpr size_t kGuard = 128, kLine = 64;  // outputs begin where lines of the caches do
  std::vector<Bytes> out;
  std::vector<void*> pointers;
  std::vector<int64_t> strides;
  for (const Expr e : spec.outputs) {
    const int64_t length = spec.shape == LoopShape::kRow && is_row_value(e, spec) ? 1 : n;
    strides.push_back(length * size_of(e.dtype()));
    out.push_back(Bytes(static_cast<size_t>(strides.back() * rows) + kGuard + kLine, 0xAB));
  }
  for (Bytes& bytes : out) {
    pointers.push_back(bytes.data() + (-reinterpret_cast<uintptr_t>(bytes.data()) & (kLine - 1)));
  }
  for (size_t k = 0; k < in.size(); ++k) {
    pointers.push_back(const_cast<unsigned char*>(in[k].data()));
    strides.push_back(rows ? static_cast<int64_t>(in[k].size()) / rows : 0);
  }
  Bytes space(static_cast<size_t>(scratch * (n + 64)) + 64);
  pointers.push_back(space.data());
  strides.push_back(0);
  reinterpret_cast<MapKernel>(const_cast<void*>(kernel))(pointers.data(), strides.data(), n, rows,
                                                         position);
  for (size_t k = 0; k < out.size(); ++k) {
    Bytes& bytes = out[k];
    bytes.erase(bytes.begin(),
                bytes.begin() + (static_cast<unsigned char*>(pointers[k]) - bytes.data()));
    bytes.resize(static_cast<size_t>(strides[k] * rows) + kGuard);
    for (size_t i = bytes.size() - kGuard; i < bytes.size(); ++i) {
      EXPECT_EQ(bytes[i], 0xAB) << spec.key << " wrote beyond its output, n = " << n;
    }
    bytes.resize(bytes.size() - kGuard);
  }
  return out;
}

std::string difference(const Bytes& a, const Bytes& b, DType dtype) {
  const auto size = static_cast<size_t>(size_of(dtype));
  for (size_t at = 0; at < a.size(); at += size) {
    if (std::memcmp(&a[at], &b[at], size) == 0) continue;
    std::string text = "first difference at " + std::to_string(at / size) + ":";
    for (const Bytes* bytes : {&a, &b}) {
      text += ' ';
      for (size_t i = size; i-- > 0;) {
        char digits[3];
        std::snprintf(digits, sizeof(digits), "%02x", (*bytes)[at + i]);
        text += digits;
      }
    }
    return text;
  }
  return "";
}

}  // namespace weft::codegen
