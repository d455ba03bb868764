// Passes on kept texts: what stands before `// becomes` is read, the pass runs, and gives what
// stands behind it.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/golden/plan_text.h"
#include "tests/golden/texts.h"
#include "weft/base/error.h"
#include "weft/compile/passes.h"
#include "weft/control/ops.h"
#include "weft/ir/print.h"
#include "weft/ir/verify.h"

namespace weft::golden {
namespace {

constexpr std::string_view kBecomes = "// becomes\n";

std::string optimized(const ir::Function& function, std::string_view name) {
  compile::FunctionPtr out;
  if (name == "optimize") {
    out = compile::optimize(function);
  } else {
    const auto passes = compile::passes();
    const auto pass = std::find_if(passes.begin(), passes.end(),
                                   [&](const compile::NamedPass& p) { return p.name == name; });
    if (pass == passes.end()) return text("there is no pass of that name: ", name);
    out = pass->run(function);
  }
  ir::verify(*out);
  return ir::to_text(*out);
}

TEST(Golden, passes_give_what_is_kept) {
  register_control_ops();
  const auto paths = kept_texts("passes");
  EXPECT_EQ(paths.size(), 9u);
  for (const auto& path : paths) {
    SCOPED_TRACE(path.filename());
    const std::string all = content_of(path);
    const size_t end = all.find(kBecomes) + kBecomes.size();
    const ir::Document document = ir::parse(std::string_view(all).substr(0, end));
    ir::verify(*document.main());
    const std::string name = path.stem();
    const std::string result =
        name == "plan" ? plan_text(*document.main()) : optimized(*document.main(), name);
    expect_kept(path, all.substr(0, end) + result);
  }
}

TEST(Golden, every_pass_has_a_text) {
  for (const compile::NamedPass& pass : compile::passes()) {
    if (pass.name == "simplify_again") continue;  // simplify once more
    EXPECT_FALSE(content_of(kept_text("passes", pass.name)).empty()) << pass.name;
  }
}

}  // namespace
}  // namespace weft::golden
