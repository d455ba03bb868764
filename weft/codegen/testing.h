// Buffers full of special and random values, and calls of kernels on them; for tests.
#pragma once

#include <cstring>
#include <random>
#include <vector>

#include "weft/codegen/kernel_spec.h"
#include "weft/core/kernel_abi.h"

namespace weft::codegen {

using Bytes = std::vector<unsigned char>;
using Random = std::mt19937_64;

// `count` elements of any bits that the dtype can have, many of them special: zeros, infinities,
// NaN, denormals, limits, small numbers.
Bytes random_elements(DType dtype, int64_t count, Random& random);

// The inputs of a spec for rows of n elements (scalars have one element a row).
std::vector<Bytes> random_inputs(const KernelSpec& spec, int64_t n, int64_t rows, Random& random);

// Runs a map or row kernel on packed rows; returns the outputs. Bytes beyond the outputs are
// checked.
std::vector<Bytes> run_map(const void* kernel, const KernelSpec& spec, const std::vector<Bytes>& in,
                           int64_t n, int64_t rows, uint64_t position = 0, int64_t scratch = 0);

// "first difference at 17: 7fc00000 and ff800000", or empty.
std::string difference(const Bytes& a, const Bytes& b, DType dtype);

// The exact value of an Expr without Calls for every element of a row of n, by the block evaluator;
// reductions in the canonical order. Inputs are packed; scalars have one element. NaN is canonical.
Bytes exact_row(Expr e, const std::vector<Operand>& operands, const std::vector<Bytes>& in,
                int64_t n, uint64_t position = 0);

// The exact states of a reduction of n elements, in the canonical order.
std::vector<Bytes> exact_reduce(const ReduceSpec& spec, DType dtype, const Bytes& in, int64_t n,
                                uint64_t index = 0);

}  // namespace weft::codegen
