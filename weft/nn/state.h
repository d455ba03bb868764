// What modules save, and what became of it when it was loaded.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "weft/transform/tree.h"

namespace weft::nn {

// {name: tensor}
using State = std::map<std::string, Tensor>;

struct LoadReport {
  std::vector<std::string> matched;
  std::vector<std::string> missing;               // the module has them, the state has not
  std::vector<std::string> unexpected;            // the other way round
  std::map<std::string, std::string> mismatched;  // name and why: the values do not fit

  // Does all of it fit?
  explicit operator bool() const {
    return missing.empty() && unexpected.empty() && mismatched.empty();
  }
};
void append_text(std::string& out, const LoadReport& report);

}  // namespace weft::nn
