// Feeds the readers of data files what makes no sense; see README.md. With libFuzzer's own main
// (WEFT_FUZZ_FORMAT names the format) it is a target of libFuzzer.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "tests/fuzz/data_formats.h"
#include "tests/fuzz/mutate.h"
#include "weft/base/error.h"
#include "weft/core/allocator.h"

namespace weft::fuzz {
namespace {

const DataFormat* find_format(std::string_view name) {
  for (const DataFormat& one : data_formats()) {
    if (one.name == name) return &one;
  }
  return nullptr;
}

// What is wrong with it, or nothing.
std::string tried(const DataFormat& format, const std::string& bytes, bool& is_read) {
  is_read = false;
  try {
    format.read(bytes);
    is_read = true;
  } catch (const Error& error) {
    if (error.code == Code::kInternal) return error.what();
  } catch (const std::exception& error) {
    return std::string("raises what is no weft::Error: ") + error.what();
  }
  return "";
}

}  // namespace
}  // namespace weft::fuzz

#ifdef WEFT_FUZZ_FORMAT

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const weft::fuzz::DataFormat* const format = weft::fuzz::find_format(WEFT_FUZZ_FORMAT);
  bool is_read = false;
  const std::string problem =
      weft::fuzz::tried(*format, std::string(reinterpret_cast<const char*>(data), size), is_read);
  if (!problem.empty()) {
    std::fprintf(stderr, "%s\n", problem.c_str());
    __builtin_trap();
  }
  return 0;
}

#else

#include "tests/fuzz/memory_watch.h"

namespace weft::fuzz {
namespace {

constexpr unsigned kMostSeconds = 20;  // for one file; also on a busy machine
constexpr size_t kAlways = size_t{8} << 20;

// Bytes changed, taken out, doubled, cut off, and numbers at the ends of their ranges.
std::string changed(const std::vector<std::string>& samples, Random& random) {
  std::string out = samples[random.below(samples.size())];
  for (size_t n = 1 + random.below(6); n > 0; --n) {
    const size_t at = random.below(out.size() + 1);
    const size_t length = std::min(random.below(12), out.size() - at);
    switch (random.below(6)) {
      case 0:
        if (at < out.size()) out[at] = static_cast<char>(random.next());
        break;
      case 1: out.erase(at, length); break;
      case 2: out.insert(random.below(out.size() + 1), out.substr(at, length)); break;
      case 3: out.resize(at); break;
      case 4: out.replace(at, length, length, random.below(2) == 0 ? '\xff' : '\0'); break;
      default:
        if (at < out.size()) out[at] = static_cast<char>(out[at] ^ 1 << random.below(8));
    }
  }
  return out;
}

int run(const DataFormat& format, uint64_t seed, uint64_t files) {
  const std::vector<std::string> samples = format.samples();
  uint64_t read = 0, failures = 0;
  for (const std::string& sample : samples) {
    bool is_read = false;
    const std::string problem = tried(format, sample, is_read);
    if (!is_read || !problem.empty()) {
      std::printf("a sample of %s does not read: %s\n", std::string(format.name).c_str(),
                  problem.c_str());
      return 1;
    }
  }
  for (uint64_t i = 0; i < files && failures < 5; ++i) {
    Random random(seed * 1000003 + i);
    std::string bytes = changed(samples, random);
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
    std::ofstream("fuzz_failed." + std::string(format.name), std::ios::binary) << bytes;
    std::printf("seed %llu, file %llu: %s\n", static_cast<unsigned long long>(seed),
                static_cast<unsigned long long>(i), problem.c_str());
  }
  std::printf("%llu files of %s, seed %llu: %llu read, %llu failures\n",
              static_cast<unsigned long long>(files), std::string(format.name).c_str(),
              static_cast<unsigned long long>(seed), static_cast<unsigned long long>(read),
              static_cast<unsigned long long>(failures));
  return failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace weft::fuzz

int main(int argc, char** argv) {
  uint64_t seed = 1, files = 4000;
  bool is_long = false;
  const weft::fuzz::DataFormat* format = nullptr;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const bool has_value = i + 1 < argc;
    if (argument == "--long") {
      is_long = true;
    } else if (argument == "--seed" && has_value) {
      seed = std::strtoull(argv[++i], nullptr, 10);
    } else if (argument == "--files" && has_value) {
      files = std::strtoull(argv[++i], nullptr, 10);
    } else {
      format = weft::fuzz::find_format(argument);
    }
  }
  if (format == nullptr) {
    std::fprintf(stderr, "data_fuzz FORMAT [--long] [--seed N] [--files N]\n");
    return 2;
  }
  int out = 0;
  do {
    out = weft::fuzz::run(*format, seed, files);
    ++seed;
  } while (is_long && out == 0);
  return out;
}

#endif
