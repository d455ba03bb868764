// Folders: made, listed, removed, renamed, and locked by one at a time.
#include "weft/base/folder.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <thread>

#include "weft/base/error.h"
#include "weft/base/test_folder.h"

namespace weft {
namespace {

class Folder : public testing::Test {
 protected:
  std::string path(const char* name) const { return folder_ + "/" + name; }
  const TestFolder made_;
  const std::string& folder_ = made_.path();
};

TEST_F(Folder, is_made_listed_and_removed) {
  make_folders(path("a/b"), "test");
  make_folders(path("a/b"), "test");
  write_file_atomically(path("a/b/file"), "x");
  write_file_atomically(path("a/a"), "x");
  EXPECT_EQ(names_in(path("a")), (std::vector<std::string>{"a", "b"}));
  rename_durably(path("a"), path("c"), "test");
  EXPECT_EQ(names_in(folder_), std::vector<std::string>{"c"});
  remove_all(path("c"), "test");
  remove_all(path("c"), "test");
  EXPECT_EQ(names_in(folder_), std::vector<std::string>());
  EXPECT_EQ(names_in(path("none")), std::vector<std::string>());
}

TEST_F(Folder, that_is_none_cannot_be_read) {
  write_file_atomically(path("file"), "x");
  try {
    names_in(path("file"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()), "read_folder: cannot read '" + path("file") +
                                             "': Not a directory; give a folder that can be read");
  }
}

TEST_F(Folder, cannot_be_made_where_a_file_is) {
  write_file_atomically(path("file"), "x");
  try {
    make_folders(path("file/below"), "CheckpointManager");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code, Code::kIo);
    EXPECT_EQ(std::string(error.what()),
              "CheckpointManager: cannot make the folder '" + path("file") +
                  "': File exists; give a folder that can be written to");
  }
}

TEST_F(Folder, is_locked_by_one_at_a_time) {
  std::atomic<int> inside{0}, most{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 20; ++round) {
        const FolderLock lock(folder_, "test");
        const int now = ++inside;
        if (now > most) most = now;
        std::this_thread::yield();
        --inside;
      }
    });
  }
  for (std::thread& one : threads) one.join();
  EXPECT_EQ(most, 1);
}

}  // namespace
}  // namespace weft
