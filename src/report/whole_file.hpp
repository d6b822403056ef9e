// report/whole_file.hpp: a file that gets its name when it is whole.
//
//   WholeFile file(path);  file.add(text);  ...  if (const std::string why = file.end(); !why.empty()) say(why);
//
// The text goes to a new file beside it, through no link. A symbolic link at `path` is followed if it belongs to the user or to
// root; in a folder like /tmp somebody else may have put it there, and such a link is refused. python/heddle/written.py does
// the same for the command.
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
  /// Leaves nothing if end() was not called.
  ~WholeFile();

  void add(std::string_view text) noexcept;
  /// Empty, or what went wrong ("cannot write FILE (why)").
  std::string end();

 private:
  struct Close {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
  };
  void fail(int error) noexcept { error_ = error_ != 0 ? error_ : error; }

  std::string path_;    ///< As the user wrote it.
  std::string target_;  ///< Where it leads.
  std::string aside_;   ///< Empty: the text goes to the target at once, which is a device or a pipe.
  std::unique_ptr<std::FILE, Close> file_;
  int error_ = 0;
  bool foreign_ = false;  ///< The name is a link of somebody else.
};

}  // namespace heddle::report
