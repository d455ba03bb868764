// Python's texts of numbers, flags and tuples.
#include "weft/nn/repr.h"

#include <charconv>
#include <cmath>
#include <cstdlib>

#include "weft/base/error.h"
#include "weft/nn/module.h"

namespace weft::nn {

// The fewest digits that read back equal; an exponent below 1e-4 and from 1e16 on.
std::string shown(double number) {
  if (!std::isfinite(number)) return std::isnan(number) ? "nan" : number > 0 ? "inf" : "-inf";
  char buffer[32];
  const auto end =
      std::to_chars(buffer, buffer + sizeof buffer, number, std::chars_format::scientific).ptr;
  const std::string shortest(buffer, end);
  const size_t mark = shortest.find('e');
  const int exponent = std::atoi(shortest.c_str() + mark + 1);
  if (exponent < -4 || exponent >= 16) return shortest;
  const auto fixed =
      std::to_chars(buffer, buffer + sizeof buffer, number, std::chars_format::fixed).ptr;
  const std::string out(buffer, fixed);
  return out.find('.') == std::string::npos ? out + ".0" : out;
}

std::string shown(bool flag) { return flag ? "True" : "False"; }
std::string shown(int64_t number) { return number == kInferred ? "None" : text(number); }
std::string shown(const Sizes& one) {
  return one.values.size() == 1 ? shown(one.values[0]) : shown(one.values);
}
std::string shown(const Ints& all) {
  std::string out = "(";
  for (size_t i = 0; i < all.size(); ++i) out += text(i > 0 ? ", " : "", shown(all[i]));
  return out + (all.size() == 1 ? ",)" : ")");
}
std::string shown(const std::string& word) { return text("'", word, "'"); }

Words& Words::put(std::string_view name, const std::string& value) {
  text_ += weft::text(text_.empty() ? "" : ", ", name, name.empty() ? "" : "=", value);
  return *this;
}

Ints for_each_axis(const Sizes& sizes, int64_t axes, std::string_view who) {
  const auto count = static_cast<size_t>(axes);
  if (sizes.values.size() == 1) return Ints(count, sizes.values[0]);
  if (sizes.values.size() != count) {
    fail(Code::kInvalid, who, "kernel_size", "kernel_size is ", shown(sizes.values),
         ", but there are ", axes, " axes of space");
  }
  return sizes.values;
}

}  // namespace weft::nn
