// common/report.cpp: see report.hpp.
#include "common/report.hpp"

#include <algorithm>
#include <exception>
#include <iostream>
#include <new>
#include <stdexcept>
#include <utility>

namespace apps {

std::string mpi_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  MPI_Get_library_version(text, &length);
  std::string line(text, static_cast<std::size_t>(length));  // "MPICH Version:      5.0.2\n...", "Open MPI v5.0.11, ..."
  const std::size_t number = line.find_first_of("0123456789"), past = line.find_first_not_of("0123456789.", number);
  if (number == std::string::npos) return line;
  return (line.starts_with("Open MPI") ? "Open MPI " : line.substr(0, line.find(' ') + 1)) + line.substr(number, past - number);
}

Json summary(std::vector<double> values) {
  Json json{{"all", values}};
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  json["median"] = (values[(n - 1) / 2] + values[n / 2]) / 2;
  json["min"] = values.front();
  json["max"] = values.back();
  return json;
}

void agree(const std::string& mistake, MPI_Comm comm) {
  int good = mistake.empty();
  MPI_Bcast(&good, 1, MPI_INT, 0, comm);
  if (!good) throw std::runtime_error(mistake);
}

int told(const char* name, MPI_Comm comm, const std::function<void()>& body) {
  int me = 0;
  MPI_Comm_rank(comm, &me);
  try {
    body();
    return 0;
  } catch (const std::bad_alloc&) {  // perhaps only on one rank: the others must not wait for it
    std::cerr << name << ": rank " << me << " has no memory for its part. Use more ranks or a smaller size.\n";
    MPI_Abort(comm, 1);
  } catch (const std::exception& error) {  // on all ranks
    if (me == 0) std::cerr << name << ": " << error.what() << std::endl;
  }
  return 1;
}

}  // namespace apps
