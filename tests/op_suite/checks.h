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
void check_tiers(const Case& c);   // every tier of this CPU gives the same bits
void check_jvp(const Case& c);     // forward mode against central differences; linearize
void check_tape(const Case& c);    // backward, GradientTape and vjp: one set of bits, J's adjoint
void check_second(const Case& c);  // second derivatives, forward and reverse in every nesting
void check_zero(const Case& c);    // no cotangent or tangent in, none out, whatever the values
void check_vmap(const Case& c);    // against a loop, for every choice of axes
void check_vmap_grad(const Case& c);   // gradients per example, against a loop
void check_grad_vmap(const Case& c);   // the gradient of a batch: of shared inputs the sum
void check_symbolic(const Case& c);    // inference on symbols, then sizes for them, is inference
void check_graph(const Case& c);       // staged with its shapes and run in a session; gradients
void check_function(const Case& c);    // traced with symbols for sizes; gradients inside
void check_replay(const Case& c);      // the graphs it writes are those that are kept
void check_kernels(const Case& c);     // the kernels its signature promises exist on every tier
void check_attributes(const Case& c);  // print, parse, equal, hash; and in the text of a graph
void check_error(const Case& c, const ExpectedError& expected);  // one law, its whole text
void check_bad_calls(const Case& c);   // broken inputs and attributes raise by name, or work
void check_documented(const Case& c);  // docs, laws with tests, names elsewhere

// Part of `special`: complex functions of `in` against C's Annex G.
void check_annex_g(const Case& c, const Array& in);

// Why a column does not apply to an op; empty if it does.
std::string always_tested(const Case& c);
std::string special_untested(const Case& c);
std::string complex_untested(const OpTest& test);  // why `special` leaves out complex numbers
std::string kernels_untested(const Case& c);
std::string threads_untested(const Case& c);
std::string no_inputs(const Case& c);
std::string zero_untested(const Case& c);

struct Column {
  const char* name;
  void (*check)(const Case&);
  std::string (*untested)(const Case&);
};
inline constexpr Column kColumns[] = {
    {"value", check_value, always_tested},
    {"special", check_special, special_untested},
    {"layout", check_layout, always_tested},
    {"threads", check_threads, threads_untested},
    {"tiers", check_tiers, always_tested},
    {"jvp", check_jvp, no_inputs},
    {"tape", check_tape, no_inputs},
    {"second", check_second, no_inputs},
    {"zero", check_zero, zero_untested},
    {"vmap", check_vmap, no_inputs},
    {"vmap(grad)", check_vmap_grad, no_inputs},
    {"grad(vmap)", check_grad_vmap, no_inputs},
    {"kernels", check_kernels, kernels_untested},
    {"symbolic", check_symbolic, no_inputs},
    {"graph", check_graph, no_inputs},
    {"function", check_function, no_inputs},
    {"replay", check_replay, always_tested},
    {"attributes", check_attributes, always_tested},
    {"bad calls", check_bad_calls, always_tested},
    {"documented", check_documented, always_tested},
};

// Why the column is left out for this op, by its test or by the column; empty if it is checked.
std::string untested(const Case& c, const Column& column);

// The dtypes a sample leaves open run over the class of the first input that has no dtype of its
// own.
std::vector<DType> open_dtypes(const OpEntry& entry);

// What input `i` has when the open ones are `dtype`: a condition stays boolean, a key uint32.
DType input_dtype(const OpEntry& entry, size_t i, DType dtype);

// The inputs of sample `index` in `dtype`; the same every time.
Arrays sample_inputs(const Case& c, size_t index, DType dtype);
Tensors to_tensors(const Arrays& arrays);

// Calls large enough that the pool shares them: what the test brings, or the first sample blown up.
std::vector<Sample> large_samples(const Case& c);
// The inputs of such a call, the same every time.
Tensors inputs_of(const Case& c, const Sample& sample, DType dtype);

// Attributes of a sample.
AnyAttrs attrs_of(const OpEntry& entry, const std::string& text);

}  // namespace weft::suite
