// Options as Python writes them: what repr of a module shows is one text in both languages.
#pragma once

#include <string>

#include "weft/nn/sizes.h"

namespace weft::nn {

std::string shown(double number);            // 1e-05, 0.1, 2.0
std::string shown(bool flag);                // True
std::string shown(int64_t number);           // None if it is left out
std::string shown(const Sizes& one);         // 3, (3, 1)
std::string shown(const Ints& all);          // (3, 1), (3,)
std::string shown(const std::string& word);  // 'sum'

// A word without quotes.
struct Verbatim {
  std::string word;
};
inline std::string shown(const Verbatim& verbatim) { return verbatim.word; }

// "eps=0.1, axis=1": those options that are not as usual.
class Words {
 public:
  template <class T>
  Words& add(std::string_view name, const T& value) {
    return put(name, shown(value));
  }
  template <class T>
  Words& add_unless(const T& usual, std::string_view name, const T& value) {
    return value == usual ? *this : put(name, shown(value));
  }
  // Without a name.
  template <class T>
  Words& item(const T& value) {
    return put("", shown(value));
  }
  std::string text() const { return text_; }

 private:
  Words& put(std::string_view name, const std::string& value);
  std::string text_;
};

}  // namespace weft::nn
