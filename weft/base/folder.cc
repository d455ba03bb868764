// Folders by POSIX calls and std::filesystem, with errors of our form.
#include "weft/base/folder.h"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "weft/base/error.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail_folder(std::string_view what, const std::string& path,
                              const std::error_code& error, std::string_view who) {
  fail(Code::kIo, who, "", "cannot ", what, " '", path, "': ", error.message(),
       "; give a folder that can be written to");
}

std::error_code last_error() { return {errno, std::generic_category()}; }

}  // namespace

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> out;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    out.push_back(at->path().filename().string());
  }
  const bool is_missing = error == std::errc::no_such_file_or_directory;
  if (error && !is_missing) {
    fail(Code::kIo, "read_folder", "", "cannot read '", folder, "': ", error.message(),
         "; give a folder that can be read");
  }
  std::sort(out.begin(), out.end());
  return out;
}

void make_folders(const std::string& folder, std::string_view who) {
  std::error_code error;
  if (fs::is_directory(folder, error)) return;
  const std::string outer = folder_of(folder);
  if (outer != folder && outer != "." && outer != "/") make_folders(outer, who);
  fs::create_directory(folder, error);
  if (error) fail_folder("make the folder", folder, error, who);
  sync_folder(outer, who);
}

void remove_all(const std::string& path, std::string_view who) {
  std::error_code error;
  fs::remove_all(path, error);
  if (error) fail_folder("remove", path, error, who);
}

void rename_durably(const std::string& from, const std::string& to, std::string_view who) {
  if (std::rename(from.c_str(), to.c_str()) != 0) fail_folder("write", to, last_error(), who);
  sync_folder(folder_of(to), who);
}

FolderLock::FolderLock(const std::string& folder, std::string_view who)
    : folder_(folder, O_RDONLY | O_DIRECTORY) {
  if (!folder_.is_open()) fail_folder("open the folder", folder, last_error(), who);
  while (flock(folder_.get(), LOCK_EX) != 0) {
    if (errno != EINTR) fail_folder("lock the folder", folder, last_error(), who);
  }
}

}  // namespace weft
