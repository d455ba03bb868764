// diag_embed: rows as diagonals of matrices; diag: a vector as a diagonal, or a matrix's diagonal.
#include "weft/op/apply.h"
#include "weft/ops/creation/creation.h"
#include "weft/ops/math/math.h"
#include "weft/ops/shape/diagonal_length.h"
#include "weft/ops/shape/index_at.h"

namespace weft {
namespace {

struct DiagEmbedAttrs {
  int64_t offset = 0, axis1 = -2, axis2 = -1;
  static constexpr auto fields = fields_of(
      field("offset", &DiagEmbedAttrs::offset, "above the main diagonal, or below if negative"),
      field("axis1", &DiagEmbedAttrs::axis1, "the axis of the rows in the result"),
      field("axis2", &DiagEmbedAttrs::axis2, "the axis of the columns in the result"));
};

struct Diagonal {
  Tensor rows, columns;  // its places in a matrix
};
Diagonal diagonal_of(Dim length, int64_t offset) {
  const Tensor along = positions(length);
  return {offset < 0 ? add(along, -offset) : along, offset > 0 ? add(along, offset) : along};
}

constexpr int64_t kMostOffset = int64_t{1} << 31;

Tensors embedded(const DiagEmbedAttrs& at, TensorSpan in) {
  const InferCtx cx{"diag_embed"};
  const Tensor& x = in[0];
  cx.require(x.rank() >= 1, "rank", "x has rank 0; it needs an axis to lay along a diagonal");
  cx.require(-kMostOffset < at.offset && at.offset < kMostOffset, "offset", "offset is ", at.offset,
             "; it must be between -2^31 and 2^31");
  const Dim length = x.dim(-1), size = length + Dim(std::abs(at.offset));
  Shape shape(x.shape().subspan(0, x.shape().size() - 1));
  shape.push_back(size);
  shape.push_back(size);
  cx.axes({at.axis1, at.axis2}, shape);
  const Diagonal diagonal = diagonal_of(length, at.offset);
  const int64_t rank = rank_of(shape);
  const Tensor out = set_at(zeros(shape, x.dtype()), x, Tensors{diagonal.rows, diagonal.columns},
                            {{rank - 2, rank - 1}, rank - 2}, Where{});
  return {moveaxis(out, {-2, -1}, {at.axis1, at.axis2})};
}

struct DiagAttrs {
  int64_t k = 0;
  static constexpr auto fields =
      fields_of(field("k", &DiagAttrs::k, "above the main diagonal, or below if negative"));
};

Tensors diagonals(const DiagAttrs& at, TensorSpan in) {
  const InferCtx cx{"diag"};
  const Tensor& x = in[0];
  cx.require(x.rank() == 1 || x.rank() == 2, "rank", "x has shape ", x.shape(),
             "; it must have rank 1 or 2 (diag_embed and diagonal take batches)");
  if (x.rank() == 1) return {diag_embed(x, at.k)};
  const Dim length = diagonal_length(x.dim(0), x.dim(1), at.k);
  const Diagonal diagonal = diagonal_of(length, length == Dim(0) ? 0 : at.k);
  return {index_at(x, Tensors{diagonal.rows, diagonal.columns}, {{0, 1}, 0}, Where{})};
}

}  // namespace

constinit const CompositeDef kDiagEmbed{
    .name = "diag_embed",
    .doc =
        "Matrices whose diagonals are the rows of `x`, zeros elsewhere. `axis1` and `axis2` say "
        "where the axes of the matrices stand in the result.",
    .inputs = {"x: any"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<DiagEmbedAttrs>(),
    .laws = {Law{"rank", "x has an axis"}, Law{"offset", "the offset is below 2^31"},
             Law{"axis_twice", "the two axes differ"}},
    .compose = rule<embedded>(),
    .known_as = {Alias{"torch", "diag_embed"}, Alias{"tf", "linalg.diag"}},
};

constinit const CompositeDef kDiag{
    .name = "diag",
    .doc =
        "Of a vector the square matrix with it on diagonal `k`, zeros elsewhere; of a matrix its "
        "diagonal `k`, empty if it is outside.",
    .inputs = {"x: any"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<DiagAttrs>(),
    .laws = {Law{"rank", "the rank is 1 or 2"}},
    .compose = rule<diagonals>(),
    .known_as = {Alias{"numpy", "diag"}, Alias{"torch", "diag"}, Alias{"jax", "numpy.diag"},
                 Alias{"tf", "experimental.numpy.diag"}},
};

Tensor diag_embed(const Tensor& x, int64_t offset, int64_t axis1, int64_t axis2, Where where) {
  return compose(kDiagEmbed, inputs(x), DiagEmbedAttrs{offset, axis1, axis2}, where);
}
Tensor diag(const Tensor& x, int64_t k, Where where) {
  return compose(kDiag, inputs(x), DiagAttrs{k}, where);
}

}  // namespace weft
