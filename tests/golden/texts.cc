// Kept texts: found, read, compared, and written anew.
#include "tests/golden/texts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace weft::golden {

std::vector<std::filesystem::path> kept_texts(std::string_view folder) {
  std::vector<std::filesystem::path> out;
  const auto place = std::filesystem::path(WEFT_GOLDEN_FOLDER) / folder;
  for (const auto& entry : std::filesystem::directory_iterator(place)) {
    if (entry.path().extension() == ".weft") out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::filesystem::path kept_text(std::string_view folder, std::string_view name) {
  return std::filesystem::path(WEFT_GOLDEN_FOLDER) / folder / (std::string(name) + ".weft");
}

std::string content_of(const std::filesystem::path& path) {
  std::ostringstream out;
  out << std::ifstream(path).rdbuf();
  return out.str();
}

void expect_kept(const std::filesystem::path& path, const std::string& text) {
  if (std::getenv("WEFT_WRITE_GOLDEN") != nullptr) std::ofstream(path) << text;
  EXPECT_EQ(text, content_of(path)) << path.filename();
}

}  // namespace weft::golden
