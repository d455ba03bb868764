// The options of the examples: --quick and --help; --data <folder> where there is data, --images
// <name> where it may be chosen, --out <file> where there is a picture.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

struct Options {
  bool quick = false;
  std::string data = {};  // the folder of datasets; none: where load_dataset looks by itself
  std::string images = "digits";  // what load_dataset is asked for
  std::string out = {};           // the file of the picture
};

// Reads them. --help prints the text and ends the program; an option that the text does not name is
// an error.
inline Options options_of(int argc, char** argv, std::string_view help, Options out = {}) {
  const std::pair<std::string_view, std::string*> values[] = {
      {"--data", &out.data}, {"--images", &out.images}, {"--out", &out.out}};
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    std::string* value = nullptr;
    for (const auto& [name, place] : values) {
      if (option == name && i + 1 < argc && help.find(name) != help.npos) value = place;
    }
    const bool is_help = option == "--help" || option == "-h";
    if (option == "--quick") {
      out.quick = true;
    } else if (value != nullptr) {
      *value = argv[++i];
    } else {
      if (!is_help) std::fprintf(stderr, "there is no option %s\n\n", argv[i]);
      std::fprintf(is_help ? stdout : stderr, "%s", std::string(help).c_str());
      std::exit(is_help ? 0 : 2);
    }
  }
  return out;
}
