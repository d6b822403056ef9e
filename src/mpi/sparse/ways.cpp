// mpi/sparse/ways.cpp: what the ways share.
#include "mpi/sparse/ways.hpp"

#include <algorithm>

#include "select/collective/decide.hpp"

namespace heddle::mpi::sparse {

// Who sends to whom is nobody's knowledge: the choice is made once, for what such exchanges are like.
const SparseWay& way_of(ShadowComm& own) {
  std::optional<SparseWay>& way = own.sparse_way();
  if (way) return *way;
  const Record& record = own.record();
  const select::Way chosen = choose_exchange(select::typical_exchange(own.topology().where));
  way = {.name = record.exchange == settings::Exchange::automatic ? chosen.algorithm->name : name(record.exchange),
         .radix = record.radix > 0 ? record.radix : std::max(2, chosen.radix)};
  return *way;
}

const std::byte* bytes_of(const Outgoing::Message& message, Job& job) {
  if (message.dense || message.bytes == 0) return message.dense;
  std::byte* packed = job.in.keep(message.bytes);
  check(job.out.pack(message, packed, job.shadow.comm()));
  return packed;
}

int deliver(Job& job, Bytes least) {
  const ShadowComm& shadow = job.shadow;
  Incoming& in = job.in;
  const int result = in.lay_out(job.arrivals);
  Requests requests;
  for (std::size_t i = 0; i < in.messages().size(); ++i) {
    Incoming::Message& message = in.messages()[i];
    if (message.bytes == 0 || message.at) continue;
    std::byte* at = in.place_of(job.arrivals, i);
    if (!at) at = in.keep(message.bytes);
    message.at = at;
    receive(at, message.bytes, message.source, tags::sparse_direct, shadow.comm(), requests);
  }
  for (const Outgoing::Message& message : job.out.messages())
    if (message.to != shadow.me() && message.bytes >= least)
      send(bytes_of(message, job), message.bytes, message.to, tags::sparse_direct, shadow.comm(), requests);
  wait_all(requests);
  const int error = in.fill(job.arrivals);
  return error != MPI_SUCCESS ? error : result;
}

}  // namespace heddle::mpi::sparse
