// Every way to complete requests, behind one function. A test names the requests to complete and
// leaves the way open.
//
//   complete(how, requests, choose, [&](int index, const MPI_Status* status) { ... });      // once for each, in any order
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "support/rounds.hpp"

namespace heddle::test {

enum class Completion {
  wait,
  waitall,
  waitany,
  waitsome,
  test,
  testall,
  testany,
  testsome,
  get_status,
  get_status_rows,
  count
};

inline Completion random_completion(Chooser& choose) {
  return static_cast<Completion>(choose.upto(static_cast<int>(Completion::count) - 1));
}

/// A null status is not looked at.
inline void check(const MPI_Status* status, int source, int tag, std::size_t bytes) {
  if (!status) return;
  EXPECT_EQ(status->MPI_SOURCE, source);
  EXPECT_EQ(status->MPI_TAG, tag);
  int count = -1;
  MPI_Get_count(status, MPI_BYTE, &count);
  EXPECT_EQ(count, static_cast<int>(bytes));
}

/// `told` gets a null status if statuses are ignored. Afterwards each request must be null or
/// persistent.
template <class Told>
void complete(Completion how, std::vector<MPI_Request>& requests, Chooser& choose, Told told) {
  const int n = static_cast<int>(requests.size());
  const bool ignored = choose.rarely(3);
  std::vector<MPI_Status> statuses(requests.size() + 1);
  std::vector<int> indices(requests.size() + 1);
  std::vector<bool> done(requests.size());
  for (MPI_Status& status : statuses) status.MPI_SOURCE = status.MPI_TAG = status.MPI_ERROR = -77;
  MPI_Status* const one = ignored ? MPI_STATUS_IGNORE : statuses.data();
  MPI_Status* const all = ignored ? MPI_STATUSES_IGNORE : statuses.data();
  const auto tell = [&](int index, int at) {
    EXPECT_FALSE(done[static_cast<std::size_t>(index)]) << index << " twice";
    done[static_cast<std::size_t>(index)] = true;
    told(index, ignored ? nullptr : &statuses[static_cast<std::size_t>(at)]);
  };
  const auto at = [&](int i) { return &requests[static_cast<std::size_t>(i)]; };
  std::vector<int> order(requests.size());
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[static_cast<std::size_t>(choose.upto(static_cast<Count>(i) - 1))]);
  int flag = 0, index = 0, outcount = 0;
  switch (how) {
    case Completion::waitall:
      EXPECT_EQ(MPI_Waitall(n, requests.data(), all), MPI_SUCCESS);
      for (int i = 0; i < n; ++i) tell(i, i);
      break;
    case Completion::testall:
      while (!flag) EXPECT_EQ(MPI_Testall(n, requests.data(), &flag, all), MPI_SUCCESS);
      for (int i = 0; i < n; ++i) tell(i, i);
      break;
    case Completion::waitany:
      while (succeeds(MPI_Waitany(n, requests.data(), &index, one)), index != MPI_UNDEFINED) tell(index, 0);
      break;
    case Completion::testany:
      for (index = 0; index != MPI_UNDEFINED;) {
        succeeds(MPI_Testany(n, requests.data(), &index, &flag, one));
        if (!flag)
          index = 0;
        else if (index != MPI_UNDEFINED)
          tell(index, 0);
      }
      break;
    case Completion::waitsome:
      while (succeeds(MPI_Waitsome(n, requests.data(), &outcount, indices.data(), all)), outcount != MPI_UNDEFINED)
        for (int k = 0; k < outcount; ++k) tell(indices[static_cast<std::size_t>(k)], k);
      break;
    case Completion::testsome:
      while (succeeds(MPI_Testsome(n, requests.data(), &outcount, indices.data(), all)), outcount != MPI_UNDEFINED)
        for (int k = 0; k < outcount; ++k) tell(indices[static_cast<std::size_t>(k)], k);
      break;
    case Completion::test:
      for (const int i : order) {
        for (flag = 0; !flag;) succeeds(MPI_Test(at(i), &flag, one));
        tell(i, 0);
      }
      break;
#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
    case Completion::get_status_rows: {
      MPI_Request_get_status_any(n, requests.data(), &index, &flag, one);
      MPI_Request_get_status_some(n, requests.data(), &outcount, indices.data(), all);
      const std::vector<MPI_Request> before = requests;
      for (flag = 0; !flag;) succeeds(MPI_Request_get_status_all(n, requests.data(), &flag, all));
      EXPECT_EQ(requests, before);
      for (int i = 0; i < n; ++i) tell(i, i);
      succeeds(MPI_Waitall(n, requests.data(), all));
      for (int i = 0; i < n; ++i) {
        done[static_cast<std::size_t>(i)] = false;
        tell(i, i);
      }
      break;
    }
#endif
    default:  // one after the other
      for (const int i : order) {
        if (how == Completion::get_status) {
          const MPI_Request before = *at(i);
          for (flag = 0; !flag;) succeeds(MPI_Request_get_status(*at(i), &flag, one));
          EXPECT_EQ(*at(i), before);
          tell(i, 0);
          done[static_cast<std::size_t>(i)] = false;
        }
        succeeds(MPI_Wait(at(i), one));
        tell(i, 0);
      }
  }
  for (int i = 0; i < n; ++i) EXPECT_TRUE(done[static_cast<std::size_t>(i)]) << "request " << i;
}

/// A side of a message, with `units` units of the round. No units are count 0, because MPICH 5.0.2
/// divides by zero when it receives some types that describe nothing. Open MPI 5.0.11 gets few
/// units, because it garbles fragments that end within a number.
inline Side message_side(Round& r, Count units) {
#if defined(OPEN_MPI)
  units = std::min<Count>(units, 6);
#endif
  Side side = random_side(r.own, r.unit, std::max<Count>(1, units));
  if (units == 0) side.count = 0;
  return side;
}

}  // namespace heddle::test
