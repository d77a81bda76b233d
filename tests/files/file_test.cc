#include "posenc/files/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "support/expect_error.h"
#include "support/temporary_folder.h"

namespace posenc::file_test {
namespace {

using Names = std::vector<std::string>;

mode_t mode_of(const std::string& path) {
  struct stat status {};
  EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
  return status.st_mode & 07777;
}

TEST(ReadFile, GivesEveryByte) {
  TemporaryFolder folder;
  std::string bytes;
  for (int i = 0; i < 200000; ++i) bytes += static_cast<char>(i * 7);
  write_file(folder / "bytes", bytes);
  EXPECT_EQ(read_file(folder / "bytes"), bytes);
  write_file(folder / "empty", "");
  EXPECT_EQ(read_file(folder / "empty"), "");
}

TEST(ReadFile, ReadsWhatHasNoSize) {
  EXPECT_NE(read_file("/proc/self/status").find("Pid:"), std::string::npos);
  EXPECT_EQ(read_file("/dev/null"), "");
}

TEST(ReadFile, ReadsAPipeToItsEnd) {
  TemporaryFolder folder;
  const std::string path = folder / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const std::string bytes(300000, 'p');
  std::thread writer([&] { write_file(path, bytes); });
  const std::string got = read_file(path);
  writer.join();
  EXPECT_EQ(got, bytes);
  EXPECT_EQ(folder.names(), Names{"pipe"}) << "a pipe must not be renamed over";
}

TEST(ReadFile, KeepsTheLimit) {
  TemporaryFolder folder;
  write_file(folder / "ten", "0123456789");
  EXPECT_EQ(read_file(folder / "ten", 10).size(), 10u);
  expect_error(ErrorKind::bad_input, "ten: expected at most 9 bytes", [&] { read_file(folder / "ten", 9); });
  expect_error(ErrorKind::bad_input, "/dev/zero: expected at most 1000000 bytes",
               [] { read_file("/dev/zero", 1000000); });
}

TEST(ReadFile, NamesThePathAndTheReason) {
  TemporaryFolder folder;
  expect_error(ErrorKind::io, "missing: No such file or directory", [&] { read_file(folder / "missing"); });
  expect_error(ErrorKind::io, folder.path() + ": Is a directory", [&] { read_file(folder.path()); });
}

TEST(FileWriter, WritesInPiecesAndReplacesOnCommitOnly) {
  TemporaryFolder folder;
  write_file(folder / "out", "old");
  FileWriter file(folder / "out");
  file.write("new ", 4);
  file.write("text", 4);
  EXPECT_EQ(read_file(folder / "out"), "old");
  file.commit();
  EXPECT_EQ(read_file(folder / "out"), "new text");
  EXPECT_EQ(folder.names(), Names{"out"});
}

TEST(FileWriter, LeavesNothingWithoutCommit) {
  TemporaryFolder folder;
  write_file(folder / "old", "old");
  {
    FileWriter made(folder / "made");
    FileWriter old(folder / "old");
    made.write("x", 1);
    old.write("x", 1);
    EXPECT_EQ(folder.names().size(), 3u) << "two temporary files beside the old one";
  }
  EXPECT_EQ(folder.names(), Names{"old"});
  EXPECT_EQ(read_file(folder / "old"), "old");
}

TEST(FileWriter, IsDoneAfterCommit) {
  TemporaryFolder folder;
  FileWriter file(folder / "out");
  file.commit();
  expect_error(ErrorKind::usage, "write must come before commit", [&] { file.write("x", 1); });
  expect_error(ErrorKind::usage, "commit must be called only once", [&] { file.commit(); });
  EXPECT_EQ(read_file(folder / "out"), "");
}

TEST(FileWriter, WritesTwoFilesOfOneNameAtOnce) {
  TemporaryFolder folder;
  FileWriter first(folder / "out");
  FileWriter second(folder / "out");
  first.write("first", 5);
  second.write("second", 6);
  second.commit();
  first.commit();
  EXPECT_EQ(read_file(folder / "out"), "first");
  EXPECT_EQ(folder.names(), Names{"out"});
}

TEST(FileWriter, KeepsTheModeAndHonoursUmask) {
  TemporaryFolder folder;
  const mode_t before = ::umask(027);
  write_file(folder / "made", "x");
  ::umask(before);
  EXPECT_EQ(mode_of(folder / "made"), 0640u);
  ASSERT_EQ(::chmod((folder / "made").c_str(), 0604), 0);
  write_file(folder / "made", "y");
  EXPECT_EQ(mode_of(folder / "made"), 0604u);
  EXPECT_EQ(read_file(folder / "made"), "y");
}

TEST(FileWriter, FollowsLinks) {
  TemporaryFolder folder;
  ASSERT_EQ(::mkdir((folder / "deep").c_str(), 0700), 0);
  write_file(folder / "deep/real", "old");
  ASSERT_EQ(::symlink("real", (folder / "deep/hop").c_str()), 0);
  ASSERT_EQ(::symlink("deep/hop", (folder / "link").c_str()), 0);
  write_file(folder / "link", "new");
  EXPECT_EQ(read_file(folder / "deep/real"), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "deep/hop"));
  EXPECT_EQ(folder.names(), (Names{"deep", "link"}));
}

TEST(FileWriter, FollowsLinksToFilesThatAreStillToBeMade) {
  TemporaryFolder folder;
  ASSERT_EQ(::symlink("later", (folder / "link").c_str()), 0);
  write_file(folder / "link", "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(read_file(folder / "later"), "new");
}

TEST(FileWriter, RefusesALoopOfLinks) {
  TemporaryFolder folder;
  ASSERT_EQ(::symlink("b", (folder / "a").c_str()), 0);
  ASSERT_EQ(::symlink("a", (folder / "b").c_str()), 0);
  expect_error(ErrorKind::io, "/a: Too many levels of symbolic links", [&] { write_file(folder / "a", "x"); });
}

TEST(FileWriter, TakesTheLongestName) {
  TemporaryFolder folder;
  const std::string name(255, 'n');
  write_file(folder / name, "x");
  EXPECT_EQ(folder.names(), Names{name});
}

TEST(FileWriter, ReportsAFullDeviceAndLeavesItADevice) {
  expect_error(ErrorKind::io, "/dev/full: No space left on device", [] { write_file("/dev/full", "x"); });
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

TEST(FileWriter, NamesThePathAndTheReason) {
  TemporaryFolder folder;
  expect_error(ErrorKind::io, "missing/out: No such file or directory",
               [&] { write_file(folder / "missing/out", "x"); });
  expect_error(ErrorKind::io, folder.path() + ": Is a directory", [&] { write_file(folder.path(), "x"); });
  write_file(folder / "file", "");
  expect_error(ErrorKind::io, "file/out: Not a directory", [&] { write_file(folder / "file/out", "x"); });
  expect_error(ErrorKind::io, "cannot write a file without a name", [&] { write_file("", "x"); });
}

TEST(FileWriter, WritesToAnOpenDescriptorWhereItStands) {
  TemporaryFolder folder;
  const int log = ::open((folder / "log").c_str(), O_WRONLY | O_CREAT, 0600);
  ASSERT_GE(log, 0);
  ASSERT_EQ(::write(log, "before ", 7), 7);
  write_file("/dev/fd/" + std::to_string(log), "posenc ");
  ASSERT_EQ(::write(log, "after", 5), 5);
  ::close(log);
  EXPECT_EQ(read_file(folder / "log"), "before posenc after");
  EXPECT_EQ(folder.names(), Names{"log"});
}

// Runs prepare() and then the action in a child process; returns 0 if both returned true.
template <class Prepare, class Action>
int run_in_child(const Prepare& prepare, const Action& action) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(prepare() && action() ? 0 : 1);
  int status = -1;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return status;
}

// Simulates a disk that is full after 4096 bytes.
bool limit_files() {
  ::signal(SIGXFSZ, SIG_IGN);
  const rlimit bound{4096, 4096};
  return ::setrlimit(RLIMIT_FSIZE, &bound) == 0;
}

// Permissions do not apply to root.
bool drop_root() {
  constexpr uid_t kNobody = 65534;
  return ::geteuid() != 0 || ::setuid(kNobody) == 0;
}

// Whether the action fails with ErrorKind::io and this reason.
template <class Action>
bool fails_with(const std::string& reason, const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.kind() == ErrorKind::io && std::string(error.what()).find(reason) != std::string::npos;
  }
  return false;
}

TEST(FileWriter, LeavesTheOldFileWhenTheDiskIsFull) {
  TemporaryFolder folder;
  write_file(folder / "out", "old");
  const int status = run_in_child(limit_files, [&] {
    return fails_with("File too large", [&] { write_file(folder / "out", std::string(10000, 'n')); });
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(read_file(folder / "out"), "old");
  EXPECT_EQ(folder.names(), Names{"out"});
}

TEST(FileWriter, CannotCommitAfterAFailedWrite) {
  TemporaryFolder folder;
  const int status = run_in_child(limit_files, [&] {
    FileWriter file(folder / "out");
    const std::string bytes(10000, 'n');
    int failures = 0;
    for (auto step : {0, 1}) {
      try {
        step == 0 ? file.write(bytes.data(), bytes.size()) : file.commit();
      } catch (const Error&) {
        ++failures;
      }
    }
    return failures == 2;
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(folder.names(), Names{});
}

TEST(FileWriter, RefusesAReadOnlyFile) {
  TemporaryFolder folder;
  ASSERT_EQ(::chmod(folder.path().c_str(), 0777), 0);
  write_file(folder / "out", "old");
  ASSERT_EQ(::chmod((folder / "out").c_str(), 0444), 0);
  const int status = run_in_child(
      drop_root, [&] { return fails_with("out: Permission denied", [&] { write_file(folder / "out", "new"); }); });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(read_file(folder / "out"), "old");
  EXPECT_EQ(folder.names(), Names{"out"});
}

TEST(FileWriter, RefusesAReadOnlyFolder) {
  TemporaryFolder folder;
  ASSERT_EQ(::chmod(folder.path().c_str(), 0555), 0);
  const int status = run_in_child(
      drop_root, [&] { return fails_with("out: Permission denied", [&] { write_file(folder / "out", "new"); }); });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(folder.names(), Names{});
  ASSERT_EQ(::chmod(folder.path().c_str(), 0755), 0);
}

}  // namespace
}  // namespace posenc::file_test
