// The layers of a model as a drawing: each with its name, class, shapes and number of parameters.
//
//   nn::draw(model, {.path = "model.svg"}, Shape{32, 784});
#pragma once

#include "weft/nn/module.h"
#include "weft/transform/adapt.h"
#include "weft/transform/vjp.h"

namespace weft::nn {

struct DrawOptions {
  std::string path =
      "";          // .svg, .html (layers open by a click), .dot or .gv; none: nothing is written
  int depth = -1;  // levels of modules that are opened; negative: as many as fit
  bool repeats = true;  // equal layers in a row are one box, "layers x 12"
};

namespace detail {
std::string drawn(ModuleBase& module, FlatFunction call, const Tensors& inputs,
                  const DrawOptions& options);
}  // namespace detail

// The drawing of one call with tensors, or zeros of shapes, without training; as SVG unless the
// path says otherwise. Raises [draw.path].
template <class M, class... Inputs>
std::string draw(M& module, const DrawOptions& options, const Inputs&... inputs) {
  const Tensors given{detail::as_input(inputs)...};
  const auto call = [&]<size_t... I>(TensorSpan x, std::index_sequence<I...>) {
    return flattened(module(x[I]...));
  };
  return detail::drawn(
      module, [&](TensorSpan x) { return call(x, std::index_sequence_for<Inputs...>()); }, given,
      options);
}

}  // namespace weft::nn
