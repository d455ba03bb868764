// The options of the examples: --quick, --data <folder> where there is data, and --help.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

struct Options {
  bool quick = false;
  std::string data;  // the folder of datasets; none: where load_dataset looks by itself
};

// Reads them. --help prints the text and ends the program; an option that is not there is an error.
inline Options options_of(int argc, char** argv, std::string_view help) {
  Options out;
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    const bool is_help = option == "--help" || option == "-h";
    if (option == "--quick") {
      out.quick = true;
    } else if (option == "--data" && i + 1 < argc && help.find("--data") != help.npos) {
      out.data = argv[++i];
    } else {
      if (!is_help) std::fprintf(stderr, "there is no option %s\n\n", argv[i]);
      std::fprintf(is_help ? stdout : stderr, "%s", std::string(help).c_str());
      std::exit(is_help ? 0 : 2);
    }
  }
  return out;
}
