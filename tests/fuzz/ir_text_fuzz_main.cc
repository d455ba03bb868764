// Feeds the reader of graph texts what makes no sense; see README.md.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/fuzz/drive.h"
#include "weft/base/error.h"
#include "weft/control/ops.h"
#include "weft/ir/print.h"

namespace weft::fuzz {
namespace {

std::vector<std::string> read_corpus(const std::string& folder) {
  std::vector<std::filesystem::path> paths;
  std::error_code none;  // without a folder there are no texts
  for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
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

// What reads must print and read again alike.
std::string read_again(const std::string& source) {
  const std::string printed = ir::to_text(*ir::parse(source).main());
  try {
    const std::string again = ir::to_text(*ir::parse(printed).main());
    return again == printed ? "" : "prints another text when it is read again:\n" + again;
  } catch (const Error& error) {
    return std::string("what it prints cannot be read: ") + error.what();
  }
}

std::optional<Subject> subject_of(const std::string& folder) {
  register_control_ops();
  const std::vector<std::string> corpus = read_corpus(folder);
  if (corpus.empty()) return {};
  return Subject{
      .name = "weft",
      .samples = corpus,
      .make = [=](Random& random) { return made_text(corpus, random); },
      .read = read_again,
      .always = size_t{256} << 20,
      .per_byte = 20000,
      .count = 6000,
  };
}

}  // namespace
}  // namespace weft::fuzz

int main(int argc, char** argv) { return weft::fuzz::drive(argc, argv, weft::fuzz::subject_of); }
