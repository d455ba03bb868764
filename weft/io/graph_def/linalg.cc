// Matrices: factors, inverses and systems. What TensorFlow gives up to a sign is left out.
#include "weft/io/graph_def/wires.h"

namespace weft::io {
namespace {

void plain(Writer& w, std::string_view tf) { w.give(tf, w.inputs(), typed(w)); }

// (x + x^H) / 2
Wire hermitian_part(Writer& w, Wires& wires) {
  const Wire x = wires.input(0);
  const Wire sum = wires.apply("AddV2", {x, wires.adjoint(x, w.input_type(0).rank())});
  return wires.apply("Mul", {sum, wires.number(x.dtype, 0.5)});
}

void cholesky(Writer& w, std::string_view) {
  Wires wires(w);
  const Wire lower = wires.apply("Cholesky", {hermitian_part(w, wires)});
  const bool is_upper = w.attribute<bool>("upper");
  wires.give(is_upper ? wires.adjoint(lower, w.input_type(0).rank()) : lower);
}

void eigenvalues(Writer& w, std::string_view) {
  Wires wires(w);
  const Wire x = hermitian_part(w, wires);
  const Wire values{w.add("SelfAdjointEigV2", "SelfAdjointEigV2", {x.name},
                          {{"T", data_type(x.dtype)}, {"compute_v", false}}),
                    x.dtype};
  if (!is_complex(x.dtype)) return wires.give(values);
  const DType real = real_of(x.dtype);
  wires.give(
      {w.add("Real", "Real", {values.name}, {{"T", data_type(x.dtype)}, {"Tout", data_type(real)}}),
       real});
}

void singular_values(Writer& w, std::string_view) {
  Wires wires(w);
  const Wire x = wires.input(0);
  const Wire values{
      w.add("Svd", "Svd", {x.name},
            {{"T", data_type(x.dtype)}, {"compute_uv", false}, {"full_matrices", false}}),
      x.dtype};
  if (!is_complex(x.dtype)) return wires.give(values);
  const DType real = real_of(x.dtype);
  wires.give(
      {w.add("Real", "Real", {values.name}, {{"T", data_type(x.dtype)}, {"Tout", data_type(real)}}),
       real});
}

// Both sides with one batch; a vector is a matrix of one column.
void solve(Writer& w, std::string_view tf) {
  Wires wires(w);
  const Shape &a_shape = w.input_type(0).shape, &b_shape = w.input_type(1).shape;
  const Shape& out = w.output_type().shape;
  const bool is_vector = b_shape.size() == 1;
  const size_t batch = out.size() - (is_vector ? 1 : 2);
  Shape a_whole(ShapeView(out).subspan(0, batch)), b_whole = a_whole, b_matrix = b_shape;
  for (const Dim dim : ShapeView(a_shape).subspan(a_shape.size() - 2)) a_whole.push_back(dim);
  if (is_vector) b_matrix.push_back(1);
  for (const Dim dim : ShapeView(b_matrix).subspan(b_matrix.size() - 2)) b_whole.push_back(dim);
  Wire a = wires.broadcast(wires.input(0), a_shape, a_whole), b = wires.input(1);
  if (is_vector) b = wires.reshape(b, b_matrix);
  b = wires.broadcast(b, b_matrix, b_whole);
  Attributes attr{{"T", data_type(a.dtype)}, {"adjoint", false}};
  if (tf == "MatrixTriangularSolve") {
    attr["lower"] = !w.attribute<bool>("upper");
    attr["adjoint"] = w.attribute<bool>("adjoint");
    if (w.attribute<bool>("unit_diagonal")) {
      Shape diagonal(ShapeView(a_whole).subspan(0, a_whole.size() - 1));
      const std::string ones =
          w.add("ones", "Fill", {w.shape("ones/shape", diagonal), w.number("one", a.dtype, 1)},
                {{"T", attr["T"]}, {"index_type", DataType::kInt32}});
      a.name = w.add("MatrixSetDiagV3", "MatrixSetDiagV3", {a.name, ones, w.int_scalar("k", 0)},
                     {{"T", attr["T"]}, {"align", std::string("RIGHT_LEFT")}});
    }
  }
  const Wire x{w.add(tf, tf, {a.name, b.name}, attr), a.dtype};
  wires.give(is_vector ? wires.reshape(x, out) : x);
}

void diagonal(Writer& w, std::string_view) {
  const DType dtype = w.input_type(0).dtype;
  w.give("MatrixDiagPartV3",
         {w.input(0), w.int_scalar("k", w.attribute<int64_t>("offset")),
          w.number("padding_value", dtype, 0)},
         {{"T", data_type(dtype)}, {"align", std::string("RIGHT_LEFT")}});
}

constexpr Row kRows[] = {
    {"linalg.cholesky", cholesky},
    {"linalg.eigvalsh", eigenvalues},
    {"linalg.svdvals", singular_values},
    {"linalg.det.value", plain, "MatrixDeterminant"},
    {"linalg.inv", plain, "MatrixInverse"},
    {"linalg.solve", solve, "MatrixSolve"},
    {"linalg.solve_triangular", solve, "MatrixTriangularSolve"},
    {"diagonal", diagonal},
};

}  // namespace

std::span<const Row> linalg_rows() { return kRows; }

}  // namespace weft::io
