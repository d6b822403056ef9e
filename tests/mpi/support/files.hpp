// Files of the tests.
//
//   const Opened opened(team, true);                                // a new file, in memory; removed at the end
//   MPI_File_write_all(opened.file, ...);
//   const Memory found = bytes_of(opened.name, 0, 100);
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "support/ranks.hpp"
#include "support/reference.hpp"

namespace heddle::test {

/// The name of a new file, the same on all ranks: in memory, or where the tests run.
inline std::string new_name(const Team& team, bool in_memory) {
  static int number = 0;
  long words[2] = {getpid(), number++};
  MPI_Bcast(words, 2, MPI_LONG, 0, team.comm);
  return std::string(in_memory && access("/dev/shm", W_OK) == 0 ? "/dev/shm/" : "") + "heddle-files." +
         std::to_string(words[0]) + "." + std::to_string(words[1]);
}

/// The bytes of a file, as the system shows them.
inline Memory bytes_of(const std::string& name, Bytes from, Bytes most) {
  Memory content(static_cast<std::size_t>(most));
  const int file = open(name.c_str(), O_RDONLY | O_CLOEXEC);
  const ssize_t got = pread(file, content.data(), content.size(), from);
  close(file);
  content.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return content;
}

/// A file that a test has opened. Rank 0 removes it.
class Opened {
 public:
  Opened(const Team& team, bool in_memory, int amode = MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_Info info = MPI_INFO_NULL)
      : name(new_name(team, in_memory)), team_(team) {
    succeeds(MPI_File_open(team.comm, name.c_str(), amode, info, &file));
  }
  ~Opened() {
    MPI_File_close(&file);
    MPI_Barrier(team_.comm);
    if (team_.rank == 0) unlink(name.c_str());
  }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;

  const std::string name;
  MPI_File file = MPI_FILE_NULL;

 private:
  const Team& team_;
};

inline int count_of(const MPI_Status& status, MPI_Datatype type) {
  int count = 0;
  MPI_Get_count(&status, type, &count);
  return count;
}

}  // namespace heddle::test
