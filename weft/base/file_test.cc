// Files: what was written is read, a failure leaves things as they were and says why.
#include "weft/base/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "weft/base/error.h"

namespace weft {
namespace {

class File : public testing::Test {
 protected:
  File() : folder_(testing::TempDir() + "weft-file-XXXXXX") {
    EXPECT_NE(mkdtemp(folder_.data()), nullptr);
  }
  ~File() override {
    for (const std::string& name : names()) std::remove((folder_ + "/" + name).c_str());
    rmdir(folder_.c_str());
  }
  std::string path(const char* name) const { return folder_ + "/" + name; }
  std::vector<std::string> names() const {
    std::vector<std::string> out;
    DIR* folder = opendir(folder_.c_str());
    while (const dirent* entry = readdir(folder)) {
      if (entry->d_name[0] != '.') out.push_back(entry->d_name);
    }
    closedir(folder);
    return out;
  }

  std::string folder_;
};

template <class Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code, Code::kIo);
    return error.what();
  }
  return "no error";
}

TEST_F(File, reads_what_was_written) {
  std::string bytes("\0\xff\n text", 8);
  for (const size_t size : {size_t{0}, size_t{8}, size_t{4096}, size_t{1'000'003}}) {
    bytes.resize(size, 'x');
    write_file_atomically(path("a"), bytes);
    EXPECT_EQ(read_file(path("a")), bytes);
    EXPECT_EQ(try_read_file(path("a")), bytes);
  }
  EXPECT_EQ(names(), std::vector<std::string>{"a"});  // no temporary file stays
}

TEST_F(File, reads_files_that_do_not_know_their_size) {
  EXPECT_NE(read_file("/proc/self/status").find("Name:"), std::string::npos);
}

TEST_F(File, keeps_the_mode) {
  write_file_atomically(path("a"), "1");
  chmod(path("a").c_str(), 0600);
  write_file_atomically(path("a"), "2");
  struct stat about{};
  stat(path("a").c_str(), &about);
  EXPECT_EQ(about.st_mode & 0777, 0600u);
}

TEST_F(File, writes_into_the_current_folder) {
  char before[4096];
  ASSERT_NE(getcwd(before, sizeof before), nullptr);
  ASSERT_EQ(chdir(folder_.c_str()), 0);
  write_file_atomically("plain", "here");
  ASSERT_EQ(chdir(before), 0);
  EXPECT_EQ(read_file(path("plain")), "here");
}

TEST_F(File, a_missing_file) {
  EXPECT_EQ(error_of([&] { read_file(path("none")); }),
            "read_file: cannot read '" + path("none") +
                "': No such file or directory; give the path of a file that can be read "
                "[read_file.file]");
  EXPECT_EQ(try_read_file(path("none")), std::nullopt);
}

TEST_F(File, a_folder_is_no_file) {
  EXPECT_NE(error_of([&] { read_file(folder_); }).find("Is a directory"), std::string::npos);
}

TEST_F(File, a_missing_folder) {
  EXPECT_EQ(error_of([&] { write_file_atomically(path("none/a"), "x"); }),
            "write_file: cannot write '" + path("none/a") +
                "': No such file or directory; give a path in a folder that exists, can be "
                "written to and has room");
}

TEST_F(File, a_failed_rename_leaves_nothing_behind) {
  ASSERT_EQ(mkdir(path("taken").c_str(), 0700), 0);
  EXPECT_NE(error_of([&] { write_file_atomically(path("taken"), "x"); }), "no error");
  EXPECT_EQ(names(), std::vector<std::string>{"taken"});
}

TEST_F(File, is_read_and_written_in_pieces) {
  {
    OutputFile file(path("a"), "save");
    file.write("one ");
    file.write("two");
    file.finish();
  }
  const InputFile file(path("a"), "load");
  EXPECT_EQ(file.size(), 7u);
  std::string piece(3, ' ');
  file.read(4, std::as_writable_bytes(std::span(piece)));
  EXPECT_EQ(piece, "two");
  EXPECT_EQ(error_of([&] { file.read(5, std::as_writable_bytes(std::span(piece))); }),
            "load: '" + path("a") +
                "' ends 1 bytes before what was to be read at 7; it is cut off or damaged "
                "[load.end]");
  ASSERT_EQ(truncate(path("a").c_str(), 6), 0);
  EXPECT_EQ(error_of([&] { file.read(4, std::as_writable_bytes(std::span(piece))); }),
            "load: '" + path("a") +
                "' ends 1 bytes before what was to be read at 6; it was shortened while it was "
                "read [load.end]");
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  const Descriptor writes(path("pipe"), O_RDWR);  // or opening it would wait for one
  EXPECT_EQ(error_of([&] { InputFile pipe(path("pipe"), "load"); }),
            "load: cannot read '" + path("pipe") +
                "': Illegal seek; give the path of a file that can be read [load.file]");
  EXPECT_NE(error_of([&] { OutputFile again(path("a"), "save"); }).find("File exists"),
            std::string::npos);
  EXPECT_EQ(read_file(path("a")), "one tw");
}

TEST_F(File, is_removed_unless_it_is_finished) {
  {
    OutputFile(path("a"), "save").write("one");
  }
  {
    AtomicFile(path("b"), "save").write("one");
  }
  EXPECT_EQ(names(), std::vector<std::string>());
}

bool is_link(const std::string& path) {
  struct stat about{};
  return lstat(path.c_str(), &about) == 0 && S_ISLNK(about.st_mode);
}

TEST_F(File, links_stay_links) {
  ASSERT_EQ(mkdir(path("other").c_str(), 0700), 0);
  write_file_atomically(path("other/file"), "old");
  ASSERT_EQ(symlink("other/file", path("near").c_str()), 0);
  ASSERT_EQ(symlink(path("near").c_str(), path("far").c_str()), 0);
  ASSERT_EQ(symlink("other/none", path("open").c_str()), 0);
  write_file_atomically(path("far"), "new");
  EXPECT_EQ(read_file(path("other/file")), "new");
  write_file_atomically(path("open"), "first");
  EXPECT_EQ(read_file(path("other/none")), "first");
  for (const char* name : {"near", "far", "open"}) EXPECT_TRUE(is_link(path(name))) << name;
  ASSERT_EQ(symlink("round", path("round").c_str()), 0);
  EXPECT_EQ(error_of([&] { write_file_atomically(path("round"), "x"); }),
            "write_file: cannot write '" + path("round") +
                "': Too many levels of symbolic links; give a path in a folder that exists, can be "
                "written to and has room");
  EXPECT_EQ(names().size(), 5u);  // no temporary file stays
  for (const char* name : {"other/file", "other/none"}) std::remove(path(name).c_str());
}

TEST_F(File, pipes_are_written_to) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  ASSERT_EQ(symlink("pipe", path("link").c_str()), 0);
  for (const char* name : {"pipe", "link"}) {
    const Descriptor reads(path("pipe"), O_RDWR);
    write_file_atomically(path(name), "through");
    char found[8] = {};
    EXPECT_EQ(read(reads.get(), found, 7), 7);
    EXPECT_STREQ(found, "through");
  }
  {
    const Descriptor reads(path("pipe"), O_RDWR);
    AtomicFile(path("pipe"), "save").write("not to the end");
  }
  struct stat about{};
  ASSERT_EQ(lstat(path("pipe").c_str(), &about), 0);
  EXPECT_TRUE(S_ISFIFO(about.st_mode));
  EXPECT_EQ(names().size(), 2u);
}

TEST_F(File, sockets_are_refused) {
  const int made = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  ASSERT_EQ(chdir(folder_.c_str()), 0);  // its name may not be long
  std::strcpy(address.sun_path, "socket");
  ASSERT_EQ(bind(made, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(error_of([&] { write_file_atomically("socket", "x"); }),
            "write_file: cannot write 'socket': it is a socket; give the path of a file");
  ASSERT_EQ(chdir("/"), 0);
  close(made);
  EXPECT_EQ(names(), std::vector<std::string>{"socket"});
}

TEST_F(File, readers_see_one_version_or_the_other) {
  const std::string a(100'000, 'a'), b(100'000, 'b');
  write_file_atomically(path("f"), a);
  std::atomic<bool> stop{false};
  std::atomic<int> torn{0};
  std::thread reader([&] {
    while (!stop) {
      const std::string seen = read_file(path("f"));
      if (seen != a && seen != b) ++torn;
    }
  });
  std::thread other([&] {
    for (int i = 0; i < 20; ++i) write_file_atomically(path("f"), a);
  });
  for (int i = 0; i < 20; ++i) write_file_atomically(path("f"), b);
  other.join();
  stop = true;
  reader.join();
  EXPECT_EQ(torn, 0);
  EXPECT_EQ(names(), std::vector<std::string>{"f"});
}

}  // namespace
}  // namespace weft
