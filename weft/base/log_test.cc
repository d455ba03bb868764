// The logger: levels, the environment, one line per call, nothing evaluated when off.
#include "weft/base/log.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace weft {

struct Costly {
  int* evaluations;
};
static void append_text(std::string& out, Costly piece) {
  ++*piece.evaluations;
  out += "costly";
}

namespace {

std::vector<std::string> lines;

class Log : public testing::Test {
 protected:
  Log() {
    lines.clear();
    unsetenv("WEFT_LOG");
  }
  ~Log() override {
    unsetenv("WEFT_LOG");
    set_log_sink(nullptr);
    set_log_level(LogLevel::kUnset);  // read the environment again
  }
  static void collect() {
    set_log_sink([](LogLevel, std::string_view message) { lines.emplace_back(message); });
  }
};

void log_at_every_level() {
  log_debug("debug ", 1);
  log_info("info ", 2);
  log_warning("warning ", 3);
  log_error("error ", 4);
}

TEST_F(Log, shows_warnings_and_errors_by_default) {
  collect();
  set_log_level(LogLevel::kUnset);
  log_at_every_level();
  EXPECT_EQ(lines, (std::vector<std::string>{"warning 3", "error 4"}));
}

TEST_F(Log, follows_the_environment) {
  collect();
  const std::pair<const char*, size_t> expected[] = {
      {"debug", 4}, {"info", 3}, {"warning", 2}, {"error", 1}, {"off", 0}};
  for (const auto& [name, count] : expected) {
    lines.clear();
    setenv("WEFT_LOG", name, 1);
    set_log_level(LogLevel::kUnset);
    log_at_every_level();
    EXPECT_EQ(lines.size(), count) << name;
  }
}

TEST_F(Log, says_when_the_environment_makes_no_sense) {
  collect();
  setenv("WEFT_LOG", "loud", 1);
  set_log_level(LogLevel::kUnset);
  EXPECT_EQ(log_level(), LogLevel::kWarning);
  EXPECT_EQ(lines, std::vector<std::string>{
                       "WEFT_LOG is 'loud'; it may be debug, info, warning, error or off"});
}

TEST_F(Log, builds_no_text_when_off) {
  collect();
  set_log_level(LogLevel::kWarning);
  int evaluations = 0;
  log_info(Costly{&evaluations});
  EXPECT_EQ(evaluations, 0);
  log_error(Costly{&evaluations});
  EXPECT_EQ(evaluations, 1);
}

TEST_F(Log, writes_lines_to_stderr) {
  set_log_level(LogLevel::kInfo);
  testing::internal::CaptureStderr();
  log_info("read ", 3, " files");
  log_error("gone");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "weft info: read 3 files\nweft error: gone\n");
}

}  // namespace
}  // namespace weft
