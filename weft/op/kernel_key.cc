// The names of generated kernels.
#include "weft/op/kernel_key.h"

#include <bit>

namespace weft {

std::string kernel_dtypes(const OpEntry& op, std::span<const DType> inputs) {
  std::string out;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const ArgSpec& arg = op.inputs[i];
    const bool follows = arg.group >= 0 && arg.group != static_cast<int>(i);
    if (follows || std::popcount(arg.dtypes) <= 1) continue;
    if (!out.empty()) out += ',';
    out += short_name_of(inputs[i]);
  }
  if (out.empty() && !inputs.empty()) out = short_name_of(inputs[0]);
  return out;
}

std::string kernel_key(const OpEntry& op, std::span<const DType> inputs, std::string_view variant) {
  return text(op.qualified_name(), '/', kernel_dtypes(op, inputs), '/', variant);
}

std::string cast_key(const OpEntry& op, DType from, DType to, std::string_view variant) {
  return text(op.qualified_name(), '/', short_name_of(from), '>', short_name_of(to), '/', variant);
}

std::string vjp_key(const OpEntry& of, DType dtype, uint32_t wanted) {
  return text(of.qualified_name(), ".vjp/", short_name_of(dtype), "/w", wanted);
}

}  // namespace weft
