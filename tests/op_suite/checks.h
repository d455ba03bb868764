// The columns of the table: each check takes one op's tests and reports through gtest.
#pragma once

#include "tests/op_suite/arrays.h"

namespace weft::suite {

// What a check works on: a test, its op, and the dtypes its samples run in.
struct Case {
  const OpTest& test;
  const OpEntry& entry;
  std::vector<DType> dtypes;  // of the inputs that samples leave open
};

void check_value(
    const Case& c);  // against the reference, for every dtype; inference tells the truth
void check_special(
    const Case& c);  // inf, NaN, -0, denormals, extremes, in every combination (elementwise)
void check_layout(const Case& c);  // strided and reversed inputs give the same bits
void check_threads(
    const Case& c);  // 1, 2 and 4 threads give the same bits, on inputs large enough to be shared
void check_tiers(const Case& c);     // every tier of this CPU gives the same bits
void check_gradient(const Case& c);  // JVP against central differences, VJP against JVP
void check_batching(
    const Case& c);  // the batching rule against a loop, for every set of batched inputs
void check_attributes(const Case& c);                            // print, parse, equal, hash
void check_error(const Case& c, const ExpectedError& expected);  // one law, its whole text
void check_documented(const Case& c);  // docs, laws with tests, names elsewhere

struct Column {
  const char* name;
  void (*check)(const Case&);
};
inline constexpr Column kColumns[] = {
    {"value", check_value},           {"special", check_special},
    {"layout", check_layout},         {"threads", check_threads},
    {"tiers", check_tiers},           {"gradient", check_gradient},
    {"batching", check_batching},     {"attributes", check_attributes},
    {"documented", check_documented},
};

// The dtypes a sample leaves open run over the class of the first input that has no dtype of its
// own.
std::vector<DType> open_dtypes(const OpEntry& entry);

// What input `i` has when the open ones are `dtype`: a condition stays boolean, a key uint32.
DType input_dtype(const OpEntry& entry, size_t i, DType dtype);

// The inputs of sample `index` in `dtype`; the same every time.
Arrays sample_inputs(const Case& c, size_t index, DType dtype);
Tensors to_tensors(const Arrays& arrays);

// Attributes of a sample.
AnyAttrs attrs_of(const OpEntry& entry, const std::string& text);

}  // namespace weft::suite
