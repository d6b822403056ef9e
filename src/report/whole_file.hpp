// report/whole_file.hpp: writes a file that gets its name only when it is whole.
//
//   WholeFile file(path);  file.add(text);  ...  if (const std::string why = file.end(); !why.empty()) say(why);
//
// The text goes to a new file beside it, never through a link. A symbolic link at `path` is
// followed if it belongs to the user or to root. Other links are refused, because in a folder like
// /tmp another user may have put them there. python/heddle/written.py does the same for the
// command.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

namespace heddle::report {

class WholeFile {
 public:
  explicit WholeFile(std::string path);
  WholeFile(WholeFile&&) = default;
  WholeFile& operator=(WholeFile&&) = delete;
  /// Removes the file if end() was not called.
  ~WholeFile();

  void add(std::string_view text) noexcept;
  /// An error ("cannot write FILE (why)"), or nothing.
  std::string end();

 private:
  struct Close {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
  };
  void fail(int error) noexcept { error_ = error_ != 0 ? error_ : error; }

  std::string path_;    ///< The path that the user gave.
  std::string target_;  ///< The path at the end of its links.
  std::string aside_;   ///< Empty: the target is a device or a pipe, and the text goes there at once.
  std::unique_ptr<std::FILE, Close> file_;
  int error_ = 0;
  bool foreign_ = false;  ///< The path is a link of another user.
};

}  // namespace heddle::report
