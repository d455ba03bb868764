// Folders: what is in them, made, removed, and locked by one writer at a time.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/file.h"

namespace weft {

// The names in a folder, sorted, without "." and ".."; none if there is no such folder. Raises
// Error{kIo} if it cannot be read.
std::vector<std::string> names_in(const std::string& folder);
// Makes the folder and those it lies in. `who` speaks in errors, Error{kIo}.
void make_folders(const std::string& folder, std::string_view who);
// Removes a file or a folder with all that is in it; what is not there is removed already.
void remove_all(const std::string& path, std::string_view who);
// Gives a file or folder another name in one step, and makes that durable.
void rename_durably(const std::string& from, const std::string& to, std::string_view who);

// While it lives, no other thread or process holds the lock of the folder: it is the kernel's, and
// gone with a process that is killed.
class FolderLock {
 public:
  FolderLock(const std::string& folder, std::string_view who);

 private:
  Descriptor folder_;
};

}  // namespace weft
