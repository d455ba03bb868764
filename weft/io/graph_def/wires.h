// Wires: values of the graph that is written, with their dtypes, and the steps that tables make of
// them below a node.
#pragma once

#include "weft/io/graph_def/writer.h"

namespace weft::io {

struct Wire {
  std::string name;
  DType dtype = DType::kF32;
};

class Wires {
 public:
  explicit Wires(Writer& w) : w_(w) {}

  Wire input(size_t i) const { return {w_.input(i), w_.input_type(i).dtype}; }
  Wire number(DType dtype, double value) { return {w_.number("number", dtype, value), dtype}; }

  // An op with "T" for the dtype of its first input, which is that of the result.
  Wire apply(std::string_view op, std::span<const Wire> in);
  Wire apply(std::string_view op, std::initializer_list<Wire> in) {
    return apply(op, std::span(in.begin(), in.size()));
  }
  Wire compare(std::string_view op, const Wire& a, const Wire& b);
  Wire select(const Wire& condition, const Wire& yes, const Wire& no);
  Wire cast(const Wire& x, DType dtype);
  Wire bitcast(const Wire& x, DType dtype);
  Wire transpose(const Wire& x, const Ints& axes);  // x itself if they are in order
  Wire reshape(const Wire& x, const Shape& shape);
  Wire broadcast(const Wire& x, const Shape& from, const Shape& to);  // x itself if they are equal
  // Matrices with rows and columns exchanged, and conjugated.
  Wire adjoint(const Wire& x, int64_t rank);

  // Indices of 32 or 64 bits, from 0 on: those that count from the end are made so.
  Wire indices(size_t i, Dim size);

  // The node's only output.
  void give(const Wire& x) { w_.give_values({x.name}); }

 private:
  Writer& w_;
};

// 0, 1, .., rank - 1 with one axis moved to the end; and the way back.
Ints moved_to_end(int64_t axis, int64_t rank);
Ints moved_from_end(int64_t axis, int64_t rank);

}  // namespace weft::io
