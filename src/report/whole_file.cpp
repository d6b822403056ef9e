// report/whole_file.cpp: writes a new file beside the name, then renames it.
#include "report/whole_file.hpp"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>

namespace heddle::report {
namespace {

constexpr int most_links = 40;  // the kernel follows no more

/// The kind of a file name. A link is not followed.
enum class Kind { absent, file, other, foreign_link };

/// Follows the links of this user and of root. It reads each link through the same inode whose
/// owner it has checked.
Kind follow(std::string& path) {
  for (int links = 0; links < most_links; ++links) {
    if (path.starts_with("/proc/self/fd/") || path.starts_with("/dev/fd/")) return Kind::other;  // an open file
    const int handle = open(path.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (handle < 0) return Kind::absent;
    struct stat found = {};
    std::array<char, PATH_MAX> text{};
    ssize_t length = -1;
    if (fstat(handle, &found) == 0 && S_ISLNK(found.st_mode)) length = readlinkat(handle, "", text.data(), text.size());
    close(handle);
    if (!S_ISLNK(found.st_mode)) return S_ISREG(found.st_mode) ? Kind::file : Kind::other;
    if (found.st_uid != geteuid() && found.st_uid != 0) return Kind::foreign_link;
    if (length <= 0 || static_cast<std::size_t>(length) >= text.size()) return Kind::other;
    const std::string_view leads_to(text.data(), static_cast<std::size_t>(length));
    const std::size_t folder = path.rfind('/');
    path = leads_to.front() == '/' || folder == std::string::npos ? std::string(leads_to)
                                                                  : path.substr(0, folder + 1).append(leads_to);
  }
  return Kind::other;  // open() will fail with ELOOP
}

/// Creates a new file beside the target.
int create_beside(const std::string& target, std::string& name) {
  for (int tries = 0; tries < 16; ++tries) {
    const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
    name = target + "." + std::to_string(getpid()) + "." + std::to_string(now % 1'000'000'000);
    const int file = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (file >= 0 || errno != EEXIST) return file;
  }
  return -1;
}

}  // namespace

WholeFile::WholeFile(std::string path) : path_(std::move(path)), target_(path_) {
  const Kind kind = follow(target_);
  foreign_ = kind == Kind::foreign_link;
  if (foreign_) {
    fail(EPERM);
    return;
  }
  errno = 0;
  const int file =
      kind == Kind::other ? open(target_.c_str(), O_WRONLY | O_APPEND | O_NOCTTY | O_CLOEXEC) : create_beside(target_, aside_);
  if (file < 0) {
    aside_.clear();
    fail(errno != 0 ? errno : EEXIST);
    return;
  }
  file_.reset(fdopen(file, "w"));
  if (file_) return;
  fail(errno);
  close(file);
}

WholeFile::~WholeFile() {
  if (file_ && !aside_.empty()) std::remove(aside_.c_str());
}

void WholeFile::add(std::string_view text) noexcept {
  if (!file_ || error_ != 0 || text.empty()) return;
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size()) fail(errno != 0 ? errno : EIO);
}

std::string WholeFile::end() {
  if (file_) {
    errno = 0;
    if (std::fclose(file_.release()) != 0) fail(errno != 0 ? errno : EIO);
    if (!aside_.empty()) {
      if (error_ == 0 && std::rename(aside_.c_str(), target_.c_str()) != 0) fail(errno);
      if (error_ != 0) std::remove(aside_.c_str());
    }
  }
  if (error_ == 0) return {};
  return "cannot write " + path_ + " (" + (foreign_ ? "it is a symbolic link of another user" : std::strerror(error_)) + ")";
}

}  // namespace heddle::report
