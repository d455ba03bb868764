// The loop: makes one up, reads it, and looks at what it took. Each follows from the seed and its
// number.
#include "tests/fuzz/drive.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/fuzz/memory_watch.h"
#include "weft/base/error.h"
#include "weft/base/file.h"
#include "weft/core/allocator.h"

namespace weft::fuzz {
namespace {

constexpr unsigned kMostSeconds = 20;  // for one; also on a busy machine
constexpr uint64_t kMostFailures = 5;

// What is read right now, in a file, for those that crash. It stays open: some file systems write a
// file that is made anew to the disk when it is closed.
class Current {
 public:
  explicit Current(std::string path)
      : path_(std::move(path)), file_(path_, O_WRONLY | O_CREAT | O_TRUNC, 0666) {}
  ~Current() { std::filesystem::remove(path_); }
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;

  void is(const std::string& bytes) const {
    const ssize_t written = pwrite(file_.get(), bytes.data(), bytes.size(), 0);
    if (written != static_cast<ssize_t>(bytes.size()) ||
        ftruncate(file_.get(), static_cast<off_t>(bytes.size())) != 0) {
      std::printf("%s cannot be written\n", path_.c_str());
    }
  }

 private:
  const std::string path_;
  const Descriptor file_;
};

// What is wrong with it, or nothing.
std::string tried(const Subject& subject, const std::string& bytes, bool& is_read) {
  is_read = false;
  try {
    const std::string problem = subject.read(bytes);
    is_read = true;
    return problem;
  } catch (const Error& error) {
    if (error.code == Code::kInternal) return error.what();
  } catch (const std::exception& error) {
    return std::string("raises what is no weft::Error: ") + error.what();
  }
  return "";
}

// The same, in time and with little memory.
std::string watched(const Subject& subject, const std::string& bytes, bool& is_read) {
  alarm(kMostSeconds);
  reset_peak_memory();
  const int64_t live = memory_stats().live;
  reset_asked_bytes();
  std::string problem = tried(subject, bytes, is_read);
  const size_t asked = asked_bytes() + static_cast<size_t>(memory_stats().peak - live);
  alarm(0);
  if (asked > subject.always + subject.per_byte * bytes.size()) {
    problem += "asks for " + std::to_string(asked) + " bytes";
  }
  return problem;
}

bool samples_read(const Subject& subject) {
  for (size_t i = 0; i < subject.samples.size(); ++i) {
    bool is_read = false;
    const std::string problem = tried(subject, subject.samples[i], is_read);
    if (is_read && problem.empty()) continue;
    std::printf("sample %zu of %s does not read: %s\n", i, subject.name.c_str(), problem.c_str());
    return false;
  }
  return !subject.samples.empty();
}

bool run(const Subject& subject, unsigned long long seed) {
  const Current current("fuzz_current." + subject.name);
  unsigned long long read = 0, failures = 0;
  for (unsigned long long i = 0; i < subject.count && failures < kMostFailures; ++i) {
    Random random(seed * 1000003 + i);
    const std::string bytes = subject.make(random);
    current.is(bytes);
    bool is_read = false;
    const std::string problem = watched(subject, bytes, is_read);
    read += is_read ? 1 : 0;
    if (problem.empty()) continue;
    ++failures;
    std::ofstream("fuzz_failed." + subject.name, std::ios::binary) << bytes;
    std::printf("seed %llu, number %llu of %zu bytes: %s\n", seed, i, bytes.size(),
                problem.c_str());
  }
  std::printf("%llu of %s, seed %llu: %llu read, %llu failures\n",
              static_cast<unsigned long long>(subject.count), subject.name.c_str(), seed, read,
              failures);
  return failures == 0 && read > 0;
}

}  // namespace

int drive(int argc, char** argv, std::optional<Subject> (*find)(const std::string& what)) {
  std::string what;
  uint64_t seed = 1, count = 0;
  bool is_long = false;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const bool has_value = i + 1 < argc;
    if (argument == "--long") {
      is_long = true;
    } else if (argument == "--seed" && has_value) {
      seed = std::strtoull(argv[++i], nullptr, 10);
    } else if (argument == "--count" && has_value) {
      count = std::strtoull(argv[++i], nullptr, 10);
    } else {
      what = argument;
    }
  }
  std::optional<Subject> subject = find(what);
  if (!subject) {
    std::fprintf(stderr, "%s WHAT [--long] [--seed N] [--count N]; it does not know '%s'\n",
                 argv[0], what.c_str());
    return 2;
  }
  if (count > 0) subject->count = count;
  if (!samples_read(*subject)) return 1;
  do {
    if (!run(*subject, seed++)) return 1;
  } while (is_long);
  return 0;
}

}  // namespace weft::fuzz
