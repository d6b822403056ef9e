// mpi/calls/file.cpp: files. The host carries out all calls here except collective accesses through
// views with holes (mpi/file/collective_access.hpp). If ranks need no exchange, its independent
// calls take the place of its collective ones. Short pieces of memory are packed for it
// (mpi/file/packed_access.hpp).
#include <utility>

#include "entry_points.hpp"
#include "mpi/file/collective_access.hpp"
#include "mpi/file/packed_access.hpp"
#include "mpi/requests/freed.hpp"

namespace heddle::mpi {
namespace {

int opened(auto host, MPI_Comm comm, const char* filename, int amode, MPI_Info info, MPI_File* fh) {
  // MPICH may return MPI_SUCCESS for a failed call, too, once a handler of the program has heard of
  // the error. Then `fh` still is what it was.
  const MPI_File before = fh ? std::exchange(*fh, MPI_FILE_NULL) : MPI_FILE_NULL;
  int result = MPI_ERR_OTHER;
  try {
    result = host(comm, filename, amode, info, fh);
  } catch (...) {  // the handler has thrown; other ranks may have opened the file
    files::meet(result, comm, filename, amode, info, fh);
    if (fh) *fh = before;
    throw;
  }
  files::meet(result, comm, filename, amode, info, fh);
  if (fh && *fh == MPI_FILE_NULL) *fh = before;
  return requests::after_progress(result);
}

int closed(auto host, MPI_File* fh) {
  if (fh) files::closes(*fh);
  return requests::after_progress(host(fh));
}

int view_set(auto host, MPI_File fh, MPI_Offset disp, MPI_Datatype etype, MPI_Datatype filetype, const char* datarep,
             MPI_Info info) {
  const int result = host(fh, disp, etype, filetype, datarep, info);
  if (result == MPI_SUCCESS) files::meet_view(filetype);
  if (File* const file = files::table.find(fh)) file->view_set(fh, result, disp, etype, filetype, datarep);
  return requests::after_progress(result);
}

/// Bytes that this rank has written by Heddle's handle reach the disk, too.
int synced(auto host, MPI_File fh) {
  File* const file = files::table.find(fh);
  const int own = file ? file->sync() : MPI_SUCCESS;
  const int result = host(fh);
  if (own == MPI_SUCCESS || result != MPI_SUCCESS) return requests::after_progress(result);
  PMPI_File_call_errhandler(fh, own);
  return requests::after_progress(own);
}

void set_bytes(MPI_Status* status, Bytes bytes) {
  if (status != MPI_STATUS_IGNORE) PMPI_Status_set_elements_x(status, MPI_BYTE, bytes);
}

/// The host gets the call, with packed data if that is quicker.
/// @param host  Gets address, count, datatype and status.
template <Access access>
int by_host(const File* file, const FileCall& call, auto count, MPI_Status* status, const auto& host) {
  PackedAccess packed(access);
  if (!file || !packed.begin(*file, call)) return host(const_cast<void*>(call.buffer.address), count, call.buffer.type, status);
  MPI_Status own;
  MPI_Status* const told = status == MPI_STATUS_IGNORE ? &own : status;
  set_bytes(told, 0);
  const int result = host(packed.data(), decltype(count){packed.count()}, MPI_BYTE, told);
  packed.end(result, *told);
  return result;
}

/// The host's independent procedures, with and without an offset.
template <Access, class Count>
struct Independent;
template <>
struct Independent<Access::read, int> {
  static int at_pointer(auto... all) { return PMPI_File_read(all...); }
  static int at_offset(auto... all) { return PMPI_File_read_at(all...); }
};
template <>
struct Independent<Access::read, MPI_Count> {
  static int at_pointer(auto... all) { return PMPI_File_read_c(all...); }
  static int at_offset(auto... all) { return PMPI_File_read_at_c(all...); }
};
template <>
struct Independent<Access::write, int> {
  static int at_pointer(auto... all) { return PMPI_File_write(all...); }
  static int at_offset(auto... all) { return PMPI_File_write_at(all...); }
};
template <>
struct Independent<Access::write, MPI_Count> {
  static int at_pointer(auto... all) { return PMPI_File_write_c(all...); }
  static int at_offset(auto... all) { return PMPI_File_write_at_c(all...); }
};

enum class Callers { one, all };

template <Access access, Callers callers>
int accessed(const FileCall& call, auto count, MPI_Status* status, const auto& host) {
  File* const file = files::table.find(call.fh);
  if constexpr (callers == Callers::one) return requests::after_progress(by_host<access>(file, call, count, status, host));
  if (!file || file->split) return requests::after_progress(by_host<access>(file, call, count, status, host));
  const CollectiveAccess done = carry<access>(*file, call);
  if (done.by == CollectiveAccess::heddle) {
    set_bytes(status, done.bytes);
    return requests::after_progress(MPI_SUCCESS);
  }
  using Own = Independent<access, decltype(count)>;
  const int result = by_host<access>(file, call, count, status, [&](auto... data) {
    if (done.by == CollectiveAccess::host) return host(data...);
    return call.offset ? Own::at_offset(call.fh, *call.offset, data...) : Own::at_pointer(call.fh, data...);
  });
  // A handler of the program may have closed the file.
  if (result == MPI_SUCCESS && files::table.find(call.fh) == file) file->ended();
  return requests::after_progress(result);
}

template <Access access, Callers callers>
int at_pointer(auto host, MPI_File fh, auto* buf, auto count, MPI_Datatype datatype, MPI_Status* status) {
  return accessed<access, callers>({fh, {}, {buf, count, datatype}}, count, status,
                                   [&](auto... data) { return host(fh, data...); });
}

template <Access access, Callers callers>
int at_offset(auto host, MPI_File fh, MPI_Offset offset, auto* buf, auto count, MPI_Datatype datatype, MPI_Status* status) {
  return accessed<access, callers>({fh, offset, {buf, count, datatype}}, count, status,
                                   [&](auto... data) { return host(fh, offset, data...); });
}

// Split collective accesses. Heddle carries out all of the access in the call that begins it, as
// MPI-5.0 §14.4.5 allows. The host then begins an empty access, so that it raises its own errors if
// the program calls in a wrong order.

template <Access access>
int begun(auto host, const FileCall& call, auto count) {
  File* const file = files::table.find(call.fh);
  if (!file || file->split) return requests::after_progress(host(count));
  const CollectiveAccess done = carry<access>(*file, call, Form::split);
  const bool carried = done.by == CollectiveAccess::heddle;
  const int result = host(carried ? decltype(count){} : count);
  if (result == MPI_SUCCESS) file->split = File::Split{carried ? std::optional(done.bytes) : std::nullopt};
  return requests::after_progress(result);
}

template <Access access>
int accessed_begin(auto host, MPI_File fh, auto* buf, auto count, MPI_Datatype datatype) {
  return begun<access>([&](auto number) { return host(fh, buf, number, datatype); }, {fh, {}, {buf, count, datatype}}, count);
}

template <Access access>
int accessed_at_begin(auto host, MPI_File fh, MPI_Offset offset, auto* buf, auto count, MPI_Datatype datatype) {
  return begun<access>([&](auto number) { return host(fh, offset, buf, number, datatype); },
                       {fh, offset, {buf, count, datatype}}, count);
}

/// An access by shared pointers is the host's. Until it ends, all accesses are.
int ordered_begun(auto host, MPI_File fh, auto* buf, auto count, MPI_Datatype datatype) {
  File* const file = files::table.find(fh);
  const int result = host(fh, buf, count, datatype);
  if (file && !file->split && result == MPI_SUCCESS) file->split = File::Split{};
  return requests::after_progress(result);
}

int accessed_end(auto host, MPI_File fh, auto* buf, MPI_Status* status) {
  File* const file = files::table.find(fh);
  const int result = host(fh, buf, status);
  if (file && file->split) {
    if (file->split->bytes && result == MPI_SUCCESS) set_bytes(status, *file->split->bytes);
    file->split.reset();  // also if this rank's part has failed: the next access is Heddle's on all ranks, or on none
  }
  return requests::after_progress(result);
}

}  // namespace
}  // namespace heddle::mpi

using namespace heddle::mpi;

extern "C" {
HEDDLE_ENTRY_File_open(opened);
HEDDLE_ENTRY_File_close(closed);
HEDDLE_ENTRY_File_set_view(view_set);
HEDDLE_ENTRY_File_sync(synced);
HEDDLE_ENTRY_File_read(at_pointer<Access::read, Callers::one>);
HEDDLE_ENTRY_File_write(at_pointer<Access::write, Callers::one>);
HEDDLE_ENTRY_File_read_at(at_offset<Access::read, Callers::one>);
HEDDLE_ENTRY_File_write_at(at_offset<Access::write, Callers::one>);
HEDDLE_ENTRY_File_read_all(at_pointer<Access::read, Callers::all>);
HEDDLE_ENTRY_File_write_all(at_pointer<Access::write, Callers::all>);
HEDDLE_ENTRY_File_read_at_all(at_offset<Access::read, Callers::all>);
HEDDLE_ENTRY_File_write_at_all(at_offset<Access::write, Callers::all>);
HEDDLE_ENTRY_File_read_all_begin(accessed_begin<Access::read>);
HEDDLE_ENTRY_File_write_all_begin(accessed_begin<Access::write>);
HEDDLE_ENTRY_File_read_at_all_begin(accessed_at_begin<Access::read>);
HEDDLE_ENTRY_File_write_at_all_begin(accessed_at_begin<Access::write>);
HEDDLE_ENTRY_File_read_all_end(accessed_end);
HEDDLE_ENTRY_File_write_all_end(accessed_end);
HEDDLE_ENTRY_File_read_at_all_end(accessed_end);
HEDDLE_ENTRY_File_write_at_all_end(accessed_end);
HEDDLE_ENTRY_File_read_ordered_begin(ordered_begun);
HEDDLE_ENTRY_File_read_ordered_end(accessed_end);
HEDDLE_ENTRY_File_write_ordered_begin(ordered_begun);
HEDDLE_ENTRY_File_write_ordered_end(accessed_end);
}
