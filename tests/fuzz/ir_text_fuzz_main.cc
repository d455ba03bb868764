// Feeds the reader of graph texts what makes no sense; see README.md.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/fuzz/memory_watch.h"
#include "tests/fuzz/mutate.h"
#include "weft/base/error.h"
#include "weft/control/ops.h"
#include "weft/ir/print.h"

namespace weft::fuzz {
namespace {

constexpr unsigned kMostSeconds = 20;  // for one text; also on a busy machine
constexpr size_t kAlways = size_t{256} << 20, kPerByte = 20000;

struct Options {
  std::string folder;
  uint64_t seed = 1;
  uint64_t texts = 6000;
};

std::vector<std::string> read_corpus(const std::string& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".weft") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> out;
  for (const auto& path : paths) {
    std::ostringstream content;
    content << std::ifstream(path).rdbuf();
    out.push_back(content.str());
  }
  return out;
}

// What is wrong with it, or nothing.
std::string tried(const std::string& source, bool& is_read) {
  is_read = false;
  try {
    const std::string printed = ir::to_text(*ir::parse(source).main());
    is_read = true;
    const std::string again = ir::to_text(*ir::parse(printed).main());
    if (again != printed) return "prints another text when it is read again:\n" + again;
  } catch (const Error& error) {
    if (error.code == Code::kInternal) return error.what();
    if (is_read) return std::string("what it prints cannot be read: ") + error.what();
  } catch (const std::exception& error) {
    return std::string("raises what is no weft::Error: ") + error.what();
  }
  return "";
}

int run(const Options& options) {
  register_control_ops();
  const std::vector<std::string> corpus = read_corpus(options.folder);
  if (corpus.empty()) {
    std::fprintf(stderr, "there are no texts in %s\n", options.folder.c_str());
    return 2;
  }
  uint64_t read = 0, failures = 0;
  for (uint64_t i = 0; i < options.texts; ++i) {
    Random random(options.seed * 1000003 + i);
    const std::string source = made_text(corpus, random);
    std::ofstream("fuzz_current.weft") << source;  // for those that crash
    alarm(kMostSeconds);
    reset_asked_bytes();
    bool is_read = false;
    std::string problem = tried(source, is_read);
    const size_t asked = asked_bytes();
    alarm(0);
    if (asked > kAlways + kPerByte * source.size()) {
      problem += "asks for " + std::to_string(asked) + " bytes";
    }
    read += is_read ? 1 : 0;
    if (problem.empty()) continue;
    ++failures;
    std::ofstream("fuzz_failed.weft") << source;
    std::printf("seed %llu, text %llu: %s\n", static_cast<unsigned long long>(options.seed),
                static_cast<unsigned long long>(i), problem.c_str());
    if (failures >= 5) break;
  }
  std::filesystem::remove("fuzz_current.weft");
  std::printf("%llu texts of seed %llu, %llu read, %llu failures\n",
              static_cast<unsigned long long>(options.texts),
              static_cast<unsigned long long>(options.seed), static_cast<unsigned long long>(read),
              static_cast<unsigned long long>(failures));
  return failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace weft::fuzz

int main(int argc, char** argv) {
  weft::fuzz::Options options;
  bool is_long = false;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const bool has_value = i + 1 < argc;
    if (argument == "--long") {
      is_long = true;
    } else if (argument == "--seed" && has_value) {
      options.seed = std::strtoull(argv[++i], nullptr, 10);
    } else if (argument == "--texts" && has_value) {
      options.texts = std::strtoull(argv[++i], nullptr, 10);
    } else {
      options.folder = argument;
    }
  }
  if (options.folder.empty()) {
    std::fprintf(stderr, "ir_text_fuzz FOLDER [--long] [--seed N] [--texts N]\n");
    return 2;
  }
  int out = 0;
  do {
    out = weft::fuzz::run(options);
    ++options.seed;
  } while (is_long && out == 0);
  return out;
}
