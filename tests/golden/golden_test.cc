// Every kept text reads, verifies and prints as it is; the examples still write theirs.
#include <gtest/gtest.h>

#include "tests/golden/example_graphs.h"
#include "tests/golden/texts.h"
#include "weft/base/error.h"
#include "weft/control/ops.h"
#include "weft/ir/print.h"
#include "weft/ir/verify.h"

namespace weft::golden {
namespace {

// Without the comment that says what a text is about.
std::string without_comment(std::string source) {
  while (source.starts_with("//")) source.erase(0, source.find('\n') + 1);
  return source;
}

TEST(Golden, texts_read_and_print_alike) {
  register_control_ops();
  const auto paths = kept_texts("ir");
  EXPECT_GE(paths.size(), 10u);
  for (const auto& path : paths) {
    SCOPED_TRACE(path.filename());
    const std::string source = content_of(path);
    try {
      const ir::Document document = ir::parse(source);
      ir::verify(*document.main());
      EXPECT_EQ(ir::to_text(*document.main(), {}, document.lists), without_comment(source));
    } catch (const Error& error) {
      ADD_FAILURE() << error.what();
    }
  }
}

TEST(Golden, examples_write_what_is_kept) {
  for (const Example& example : example_graphs()) {
    expect_kept(kept_text("ir", "example_" + example.name), example.text);
  }
}

}  // namespace
}  // namespace weft::golden
