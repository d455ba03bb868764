// optimize: all passes in order, with the text in between for those who want to see it.
#include <filesystem>
#include <fstream>

#include "weft/base/environment.h"
#include "weft/base/error.h"
#include "weft/base/thread_pool.h"
#include "weft/compile/passes.h"
#include "weft/ir/print.h"
#include "weft/ir/verify.h"

namespace weft::compile {
namespace {

constexpr NamedPass kPasses[] = {
    {"inline_calls", inline_calls},
    {"fold_constants", fold_constants},
    {"simplify", simplify},
    {"sink_reshapes", sink_reshapes},
    {"transpose_products", transpose_products},
    {"simplify_again", simplify},
    {"common_subexpressions", common_subexpressions},
    {"dead_code", dead_code},
};

void write(const std::string& folder, size_t number, std::string_view name,
           const ir::Function& function) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  const std::string path = text(folder, '/', number < 10 ? "0" : "", number, '_', name, ".ir");
  std::ofstream file(path);
  file << ir::to_text(function);
  if (!file.flush()) {
    fail(Code::kIo, "optimize", "dump", "cannot write ", path, "; is ", folder, " a folder?");
  }
}

// Looks at what a pass made; names the pass if it is wrong.
void verify_after(std::string_view pass, const ir::Function& function) {
  try {
    ir::verify(function);
  } catch (Error& error) {
    throw error.note(text("after the pass ", pass));
  }
}

}  // namespace

std::span<const NamedPass> passes() { return kPasses; }

FunctionPtr optimize(const ir::Function& function, const OptimizeOptions& options) {
  const bool dumps = !options.dump.empty();
  static const bool verifies = is_switched_on("WEFT_VERIFY");
  if (dumps) write(options.dump, 0, "before", function);
  FunctionPtr out;
  size_t number = 0;
  for (const NamedPass& pass : kPasses) {
    poll_interrupt();
    out = pass.run(out == nullptr ? function : *out);
    if (verifies || options.verifies) verify_after(pass.name, *out);
    if (dumps) write(options.dump, ++number, pass.name, *out);
  }
  return out;
}

}  // namespace weft::compile
