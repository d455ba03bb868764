// A folder of its own for a test, gone when the test is.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <string>

#include "weft/base/folder.h"

namespace weft {

class TestFolder {
 public:
  TestFolder() : path_(testing::TempDir() + "weft-test-XXXXXX") {
    EXPECT_NE(mkdtemp(path_.data()), nullptr);
  }
  ~TestFolder() { remove_all(path_, "test"); }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace weft
