// How scan runs: by addresses where the body has a plan, else step by step with tensors.
#include <vector>

#include "weft/control/loop.h"
#include "weft/control/rules.h"
#include "weft/control/scan.h"
#include "weft/core/kept_copy.h"
#include "weft/core/native.h"
#include "weft/op/native_outputs.h"

namespace weft {
namespace {

// Step by step with tensors: what observers see, and what has no plan.
Tensors run_simply(const ScanLoopAttrs& at, TensorSpan in, TensorSpan stacks, int64_t length) {
  const ScanParts parts(at, in.size());
  Tensors carry(in.first(parts.carries));
  Tensors arguments(in);
  for (int64_t step = 0; step < length; ++step) {
    const int64_t i = at.reverse ? length - 1 - step : step;
    for (size_t k = 0; k < parts.carries; ++k) {
      if (at.saves) native::copy(loop_row(stacks[parts.outputs + k], i), carry[k]);
      arguments[k] = std::move(carry[k]);
    }
    for (size_t k = 0; k < parts.rows; ++k) {
      arguments[parts.carries + k] = loop_row(in[parts.carries + k], i);
    }
    Tensors results = ir::run(*at.body, arguments);
    for (size_t k = 0; k < parts.carries; ++k) carry[k] = std::move(results[k]);
    for (size_t k = 0; k < parts.outputs; ++k) {
      native::copy(loop_row(stacks[k], i), results[parts.carries + k]);
    }
  }
  return carry;
}

// The rows of a tensor by address, in the order of the steps.
struct Rows {
  char* data;
  int64_t step;  // bytes

  explicit Rows(const Tensor& t)
      : data(static_cast<char*>(t.writable_data())), step(t.strides()[0] * size_of(t.dtype())) {}
  char* at(int64_t i) const { return data + i * step; }
};

// The same by addresses. What is carried goes from row to row of what is saved, or back and forth
// between two rows; the last step writes the result.
bool run_in_place(const ScanLoopAttrs& at, TensorSpan in, TensorSpan stacks, TensorSpan last,
                  int64_t length) {
  const ScanParts parts(at, in.size());
  const int64_t first = at.reverse ? length - 1 : 0;
  Tensors arguments;
  std::vector<Rows> carried, read, written;
  Types results;
  Tensors pairs;
  for (size_t k = 0; k < parts.carries; ++k) {
    const Tensor rows = at.saves ? stacks[parts.outputs + k]
                                 : Tensor::empty(in[k].dtype(), stacked(in[k].type(), 2).shape);
    pairs.push_back(rows);
    carried.emplace_back(rows);
    arguments.push_back(loop_row(rows, at.saves ? first : 0));
    native::copy(arguments[k], in[k]);
    results.push_back(in[k].type());
  }
  for (size_t k = 0; k < parts.rows; ++k) {
    const Tensor& rows = in[parts.carries + k];
    read.emplace_back(rows);
    arguments.push_back(loop_row(rows, first));
  }
  for (size_t k = 0; k < parts.consts; ++k) {
    arguments.push_back(in[parts.carries + parts.rows + k]);
  }
  for (size_t k = 0; k < parts.outputs; ++k) {
    written.emplace_back(stacks[k]);
    results.push_back(row_of(stacks[k].type()));
  }
  const RewrittenMemory rewritten(at.saves ? TensorSpan() : TensorSpan(pairs));
  const Shared<ir::Stepper> body = ir::stepper_of(*at.body, arguments, results);
  if (body == nullptr) return false;
  std::vector<char*> from, to(results.size());
  for (const Tensor& t : arguments) from.push_back(static_cast<char*>(t.writable_data()));
  for (int64_t step = 0; step < length; ++step) {
    const int64_t i = at.reverse ? length - 1 - step : step;
    const int64_t next = !at.saves ? (step + 1) & 1 : at.reverse ? i - 1 : i + 1;
    for (size_t k = 0; k < parts.carries; ++k) {
      to[k] = step + 1 < length ? carried[k].at(next) : static_cast<char*>(last[k].writable_data());
    }
    for (size_t k = 0; k < parts.rows; ++k) from[parts.carries + k] = read[k].at(i);
    for (size_t k = 0; k < parts.outputs; ++k) to[parts.carries + k] = written[k].at(i);
    body->run(from.data(), to.data());
    for (size_t k = 0; k < parts.carries; ++k) from[k] = to[k];
  }
  return true;
}

}  // namespace

void run_scan_loop(const ScanLoopAttrs& at, TensorSpan in, TensorSpan out) {
  const auto carries = static_cast<size_t>(at.carries);
  const int64_t length = length_of(at, types_of(in)).value();
  const TensorSpan stacks = out.subspan(carries);
  Tensors last(out.first(carries));
  if (length == 0) {
    last = Tensors(in.first(carries));
  } else if (!run_in_place(at, in, stacks, last, length)) {
    last = run_simply(at, in, stacks, length);
  }
  for (size_t k = 0; k < carries; ++k) store(out[k], last[k]);
}

}  // namespace weft
