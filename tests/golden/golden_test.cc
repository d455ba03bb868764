// Every kept text reads, verifies and prints as it is; the examples still write theirs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/golden/example_graphs.h"
#include "weft/base/error.h"
#include "weft/control/ops.h"
#include "weft/ir/print.h"
#include "weft/ir/verify.h"

namespace weft::golden {
namespace {

std::vector<std::filesystem::path> kept_texts() {
  std::vector<std::filesystem::path> out;
  for (const auto& entry : std::filesystem::directory_iterator(WEFT_GOLDEN_FOLDER)) {
    if (entry.path().extension() == ".weft") out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::string content_of(const std::filesystem::path& path) {
  std::ostringstream out;
  out << std::ifstream(path).rdbuf();
  return out.str();
}

// Without the comment that says what a text is about.
std::string without_comment(std::string source) {
  while (source.starts_with("//")) source.erase(0, source.find('\n') + 1);
  return source;
}

TEST(Golden, texts_read_and_print_alike) {
  register_control_ops();
  const auto paths = kept_texts();
  EXPECT_GE(paths.size(), 10u);
  for (const auto& path : paths) {
    SCOPED_TRACE(path.filename());
    const std::string source = content_of(path);
    try {
      const ir::Document document = ir::parse(source);
      ir::verify(*document.main());
      EXPECT_EQ(ir::to_text(*document.main()), without_comment(source));
    } catch (const Error& error) {
      ADD_FAILURE() << error.what();
    }
  }
}

TEST(Golden, examples_write_what_is_kept) {
  for (const Example& example : example_graphs()) {
    const auto path =
        std::filesystem::path(WEFT_GOLDEN_FOLDER) / ("example_" + example.name + ".weft");
    if (std::getenv("WEFT_WRITE_GOLDEN") != nullptr) std::ofstream(path) << example.text;
    EXPECT_EQ(example.text, content_of(path)) << example.name;
  }
}

}  // namespace
}  // namespace weft::golden
