// Flatten, Unflatten, Upsample, Unfold, Fold and CosineSimilarity.
#include "weft/nn/shape.h"

#include "weft/base/error.h"
#include "weft/nn/repr.h"
#include "weft/ops/nn/interpolate.h"
#include "weft/ops/shape/unfold.h"

namespace weft::nn {
namespace {

// An axis of x as a number from 0 on; raises [who.axis].
size_t axis_of(std::string_view who, int64_t axis, const Tensor& x) {
  const int64_t at = normalized(axis, x.rank());
  if (at < 0 || at >= x.rank()) {
    fail(Code::kIndex, who, "axis", "axis ", axis, " is out of range for shape ", x.shape());
  }
  return static_cast<size_t>(at);
}

}  // namespace

Tensor Flatten::forward(const Tensor& x, Where where) const {
  const size_t first = axis_of("Flatten", start_axis, x), last = axis_of("Flatten", end_axis, x);
  Shape shape(x.shape().first(first));
  shape.push_back(-1);
  for (const Dim dim : x.shape().subspan(last + 1)) shape.push_back(dim);
  return reshape(x, shape, where);
}

std::string Flatten::extra_repr() const {
  return start_axis == 1 && end_axis == -1 ? "" : text(start_axis, ", ", end_axis);
}

Tensor Unflatten::forward(const Tensor& x, Where where) const {
  const size_t at = axis_of("Unflatten", axis, x);
  Shape shape(x.shape().first(at));
  for (const int64_t size : sizes) shape.push_back(size);
  for (const Dim dim : x.shape().subspan(at + 1)) shape.push_back(dim);
  return reshape(x, shape, where);
}

std::string Unflatten::extra_repr() const { return text(axis, ", ", shown(sizes)); }

Tensor Upsample::forward(const Tensor& x, Where where) const {
  InterpolateAttrs at{.scale_factor = options.scale_factor,
                      .mode = options.mode,
                      .align_corners = options.align_corners,
                      .data_format = options.data_format};
  if (!options.size.values.empty()) at.size = options.size.values;
  return interpolate(x, at, where);
}

std::string Upsample::extra_repr() const {
  if (!options.size.values.empty()) return Words().add("size", options.size).text();
  return text("scale_factor=", options.scale_factor ? shown(*options.scale_factor) : "None");
}

Tensor Unfold::forward(const Tensor& x, Where where) const {
  return unfold(x,
                {.kernel_size = kernel_size.values,
                 .dilation = options.dilation.values,
                 .padding = options.padding.values,
                 .stride = options.stride.values},
                where);
}

std::string Unfold::extra_repr() const { return shown(kernel_size); }

Tensor Fold::forward(const Tensor& x, Where where) const {
  return fold(x,
              {.output_size = output_size.values,
               .kernel_size = kernel_size.values,
               .dilation = options.dilation.values,
               .padding = options.padding.values,
               .stride = options.stride.values},
              where);
}

std::string Fold::extra_repr() const { return Words().item(output_size).item(kernel_size).text(); }

Tensor CosineSimilarity::forward(const Tensor& a, const Tensor& b, Where where) const {
  return cosine_similarity(a, b, axis, eps, where);
}

std::string CosineSimilarity::extra_repr() const { return text("axis=", axis); }

}  // namespace weft::nn
