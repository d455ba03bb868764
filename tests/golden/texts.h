// Kept texts: found, read, compared, and written anew if WEFT_WRITE_GOLDEN is set.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace weft::golden {

// All texts of a folder beside this file, in order of their names; and one of them.
std::vector<std::filesystem::path> kept_texts(std::string_view folder);
std::filesystem::path kept_text(std::string_view folder, std::string_view name);
std::string content_of(const std::filesystem::path& path);
// Fails unless the file holds the text.
void expect_kept(const std::filesystem::path& path, const std::string& text);

}  // namespace weft::golden
