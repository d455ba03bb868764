// Prints, for every layer: its name, its text, the names of what it holds, fingerprints of first
// parameters, of results outside and inside of training, and of the state after that, and its
// summary.
#include <cstdio>

#include "tests/nn/layer_rows.h"

namespace {

using namespace weft;

std::string on_one_line(std::string text) {
  for (size_t at = 0; (at = text.find('\n', at)) != std::string::npos; ++at) {
    text.replace(at, 1, "\\n");
  }
  return text;
}

std::string names_of(const nn::ModuleBase& module) {
  std::string out;
  for (const auto& [name, parameter] : module.named_parameters()) out += name + " ";
  out += "|";
  for (const auto& [name, buffer] : module.named_buffers()) out += " " + name;
  return out;
}

std::string result(nn::BuiltLayer& layer, TensorSpan inputs, bool is_training) {
  layer.train(is_training);
  seed(1);
  return fingerprint_flat(layer.call(inputs));
}

}  // namespace

int main() {
  for (const nn::LayerRow& row : nn::layer_rows()) {
    seed(3);
    const Shared<nn::BuiltLayer> layer = row.make();
    const Tensors inputs = row.inputs();
    const std::string first = fingerprint(layer->module().state_dict());
    const std::string outside = result(*layer, inputs, false);
    const std::string inside = result(*layer, inputs, true);
    const std::string after = fingerprint(layer->module().state_dict());
    const std::string summary = on_one_line(text(layer->summary(inputs)));
    std::printf("%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", row.name.c_str(),
                on_one_line(layer->module().repr()).c_str(), names_of(layer->module()).c_str(),
                first.c_str(), outside.c_str(), inside.c_str(), after.c_str(), summary.c_str());
  }
  return 0;
}
