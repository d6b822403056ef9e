// bench/files/file.cpp: see file.hpp.
#include "files/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace heddle::bench::files {
namespace {

/// Repeats a system call, which may move fewer bytes than it is asked for.
template <class Call, class Byte>
void in_full(const char* name, Call call, int file, Byte* data, long bytes, long at) {
  while (bytes > 0) {
    const ssize_t moved = call(file, data, static_cast<std::size_t>(bytes), at);
    if (moved < 0 && errno == EINTR) continue;
    if (moved < 0) throw std::runtime_error(fmt::format("{}: {}", name, std::strerror(errno)));
    if (moved == 0) throw std::runtime_error(fmt::format("{}: the file ends", name));
    data += moved, bytes -= moved, at += moved;
  }
}

}  // namespace

void must(int code) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw std::runtime_error(std::string(text, static_cast<std::size_t>(length)));
}

RowBlock::RowBlock(const Shape& shape, int rank, int ranks)
    : first(shape.whole[0] * rank / ranks),
      last(shape.whole[0] * (rank + 1) / ranks),
      start(first * shape.row_words()),
      length((last - first) * shape.row_words()) {}

File::File(std::string name, const Shape& shape, bool view, const RowBlock& block) : name_(std::move(name)), block_(block) {
  constexpr int mode = MPI_MODE_CREATE | MPI_MODE_RDWR;
  must(PMPI_File_open(MPI_COMM_WORLD, name_.c_str(), mode, MPI_INFO_NULL, &host_));
  must(MPI_File_open(MPI_COMM_WORLD, name_.c_str(), mode, MPI_INFO_NULL, &interposed_));
  must(PMPI_File_open(MPI_COMM_WORLD, name_.c_str(), mode, MPI_INFO_NULL, &flat_));
  file_ = open(name_.c_str(), O_RDWR | O_CLOEXEC);
  if (file_ < 0) throw std::runtime_error(fmt::format("{}: {}", name_, std::strerror(errno)));
  if (!view) return;
  Type element = shape.element(), type = shape.file_type();
  if (shape.site > 1) MPI_Type_commit(element.address());
  MPI_Type_commit(type.address());
  must(PMPI_File_set_view(host_, 0, element, type, "native", MPI_INFO_NULL));
  must(MPI_File_set_view(interposed_, 0, element, type, "native", MPI_INFO_NULL));
}

File::~File() {
  MPI_File_close(&interposed_);
  PMPI_File_close(&host_);
  PMPI_File_close(&flat_);
  if (file_ >= 0) close(file_);
  PMPI_Barrier(MPI_COMM_WORLD);
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) unlink(name_.c_str());
  PMPI_Barrier(MPI_COMM_WORLD);
}

void File::write(const Word* from) const {
  in_full("pwrite", pwrite, file_, reinterpret_cast<const char*>(from), block_.length * word_bytes, block_.start * word_bytes);
}

void File::read(Word* to) const {
  in_full("pread", pread, file_, reinterpret_cast<char*>(to), block_.length * word_bytes, block_.start * word_bytes);
}

}  // namespace heddle::bench::files
