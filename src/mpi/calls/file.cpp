// mpi/calls/file.cpp: files. The host carries out all calls here except collective accesses through
// views with holes (mpi/file/collective_access.hpp).
#include "entry_points.hpp"
#include "mpi/file/collective_access.hpp"
#include "mpi/requests/freed.hpp"

namespace heddle::mpi {
namespace {

int opened(auto host, MPI_Comm comm, const char* filename, int amode, MPI_Info info, MPI_File* fh) {
  const int result = host(comm, filename, amode, info, fh);
  files::meet(result, comm, filename, amode, info, fh);
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

void set_bytes(MPI_Status* status, Bytes bytes) {
  if (status != MPI_STATUS_IGNORE) PMPI_Status_set_elements_x(status, MPI_BYTE, bytes);
}

/// Heddle has carried `bytes` of this rank; nothing: the host gets the call.
int ended(std::optional<Bytes> bytes, MPI_Status* status, auto host) {
  if (!bytes) return requests::after_progress(host());
  set_bytes(status, *bytes);
  return requests::after_progress(MPI_SUCCESS);
}

template <Access access>
int accessed(auto host, MPI_File fh, auto* buf, auto count, MPI_Datatype datatype, MPI_Status* status) {
  File* const file = files::table.find(fh);
  if (!file || file->split) return host(fh, buf, count, datatype, status);
  return ended(carry<access>(*file, {fh, {}, {buf, count, datatype}}), status,
               [&] { return host(fh, buf, count, datatype, status); });
}

template <Access access>
int accessed_at(auto host, MPI_File fh, MPI_Offset offset, auto* buf, auto count, MPI_Datatype datatype, MPI_Status* status) {
  File* const file = files::table.find(fh);
  if (!file || file->split) return host(fh, offset, buf, count, datatype, status);
  return ended(carry<access>(*file, {fh, offset, {buf, count, datatype}}), status,
               [&] { return host(fh, offset, buf, count, datatype, status); });
}

// Split collective accesses. Heddle carries out all of the access in the call that begins it, as
// MPI-5.0 §14.4.5 allows. The host then begins an empty access, so that it raises its own errors if
// the program calls in a wrong order.

template <Access access>
int begun(auto host, const CollectiveAccess& call, auto count) {
  File* const file = files::table.find(call.fh);
  if (!file || file->split) return requests::after_progress(host(count));
  const std::optional<Bytes> bytes = carry<access>(*file, call);
  const int result = host(bytes ? decltype(count){} : count);
  if (result == MPI_SUCCESS) file->split = File::Split{bytes};
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
HEDDLE_ENTRY_File_read_all(accessed<Access::read>);
HEDDLE_ENTRY_File_write_all(accessed<Access::write>);
HEDDLE_ENTRY_File_read_at_all(accessed_at<Access::read>);
HEDDLE_ENTRY_File_write_at_all(accessed_at<Access::write>);
HEDDLE_ENTRY_File_read_all_begin(accessed_begin<Access::read>);
HEDDLE_ENTRY_File_write_all_begin(accessed_begin<Access::write>);
HEDDLE_ENTRY_File_read_at_all_begin(accessed_at_begin<Access::read>);
HEDDLE_ENTRY_File_write_at_all_begin(accessed_at_begin<Access::write>);
HEDDLE_ENTRY_File_read_all_end(accessed_end);
HEDDLE_ENTRY_File_write_all_end(accessed_end);
HEDDLE_ENTRY_File_read_at_all_end(accessed_end);
HEDDLE_ENTRY_File_write_at_all_end(accessed_end);
}
