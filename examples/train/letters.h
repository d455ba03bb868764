// Text for the models that write letter by letter: Shakespeare's where it is found, else the
// documentation of Weft.
#pragma once

#include <weft/weft.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "options.h"

// Bytes. A quick run takes a piece of the documentation, which is always there.
inline std::string load_text(const Options& options) {
  namespace fs = std::filesystem;
  if (!options.quick) {
    try {
      const auto text = weft::data::load_dataset("shakespeare", {.folder = options.data});
      return (*text.begin()).text();
    } catch (const weft::Error& error) {
      std::printf("%s\nreading the documentation instead\n", error.what());
    }
  }
  std::string out;
  for (const char* const folder : {"guide", "design", "reference"}) {
    std::set<fs::path> paths;
    for (const auto& entry : fs::directory_iterator(fs::path(WEFT_DOCS) / folder)) {
      if (entry.path().extension() == ".md") paths.insert(entry.path());
    }
    for (const fs::path& path : paths) {
      std::ifstream file(path, std::ios::binary);
      out.append(std::istreambuf_iterator<char>(file), {});
    }
  }
  return options.quick ? out.substr(0, 40'000) : out;
}

// The bytes that occur in a text, sorted; each is known by its place.
class Letters {
 public:
  explicit Letters(const std::string& text) {
    const std::set<unsigned char> found(text.begin(), text.end());
    known_.assign(found.begin(), found.end());
    for (size_t i = 0; i < known_.size(); ++i) {
      numbers_[static_cast<unsigned char>(known_[i])] = static_cast<int64_t>(i);
    }
  }

  int64_t size() const { return static_cast<int64_t>(known_.size()); }
  char operator[](int64_t number) const { return known_[static_cast<size_t>(number)]; }
  // int64[n]
  weft::Tensor numbers(const std::string& text) const {
    std::vector<int64_t> out;
    out.reserve(text.size());
    for (const char letter : text) out.push_back(numbers_[static_cast<unsigned char>(letter)]);
    return weft::tensor(out, {static_cast<int64_t>(out.size())});
  }

 private:
  std::string known_;
  int64_t numbers_[256] = {};
};
