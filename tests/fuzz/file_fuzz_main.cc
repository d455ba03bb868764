// Feeds the readers of files what makes no sense; see README.md.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "tests/fuzz/formats.h"
#include "tests/fuzz/memory_watch.h"
#include "tests/fuzz/mutate.h"
#include "weft/base/error.h"
#include "weft/core/allocator.h"

namespace weft::fuzz {
namespace {

constexpr unsigned kMostSeconds = 20;  // for one file; also on a busy machine
constexpr size_t kAlways = size_t{1} << 20;

struct Options {
  std::string format;
  uint64_t seed = 1;
  uint64_t files = 20000;
};

// What is wrong with it, or nothing.
std::string tried(const Format& format, const std::string& bytes, bool& is_read) {
  is_read = false;
  try {
    format.read(std::as_bytes(std::span(bytes.data(), bytes.size())));
    is_read = true;
  } catch (const Error& error) {
    if (error.code == Code::kInternal) return error.what();
  } catch (const std::exception& error) {
    return std::string("raises what is no weft::Error: ") + error.what();
  }
  return "";
}

int run(const Format& format, const Options& options) {
  const std::vector<std::string> samples = format.samples();
  uint64_t read = 0, failures = 0;
  for (uint64_t i = 0; i < options.files && failures < 5; ++i) {
    Random random(options.seed * 1000003 + i);
    std::string bytes = changed_file(samples, random);
    if (format.repair != nullptr && random.below(2) == 0) format.repair(bytes);
    alarm(kMostSeconds);
    reset_peak_memory();
    const int64_t live = memory_stats().live;
    reset_asked_bytes();
    bool is_read = false;
    std::string problem = tried(format, bytes, is_read);
    const size_t asked = asked_bytes() + static_cast<size_t>(memory_stats().peak - live);
    alarm(0);
    if (asked > kAlways + format.most_per_byte * bytes.size()) {
      problem += "asks for " + std::to_string(asked) + " bytes";
    }
    read += is_read ? 1 : 0;
    if (problem.empty()) continue;
    ++failures;
    std::ofstream("fuzz_failed.bin", std::ios::binary) << bytes;
    std::printf("seed %llu, file %llu of %zu bytes: %s\n",
                static_cast<unsigned long long>(options.seed), static_cast<unsigned long long>(i),
                bytes.size(), problem.c_str());
  }
  std::printf("%llu files of seed %llu, %llu read, %llu failures\n",
              static_cast<unsigned long long>(options.files),
              static_cast<unsigned long long>(options.seed), static_cast<unsigned long long>(read),
              static_cast<unsigned long long>(failures));
  return failures == 0 && read > 0 ? 0 : 1;
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
    } else if (argument == "--files" && has_value) {
      options.files = std::strtoull(argv[++i], nullptr, 10);
    } else {
      options.format = argument;
    }
  }
  const weft::fuzz::Format* const format = weft::fuzz::find_format(options.format);
  if (format == nullptr) {
    std::fprintf(stderr, "file_fuzz FORMAT [--long] [--seed N] [--files N]\n");
    return 2;
  }
  int out = 0;
  do {
    out = weft::fuzz::run(*format, options);
    ++options.seed;
  } while (is_long && out == 0);
  return out;
}
