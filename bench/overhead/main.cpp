// bench/overhead/main.cpp: measures the cost of interposing for calls on contiguous data: MPI_X
// against PMPI_X in one process, interleaved. Prints JSON lines. Run it with Heddle preloaded, with
// the null Heddle, and without (then the difference must be zero). Use two ranks, because a rank
// alone on its node has less to check. Rank 0 measures, and the other rank sleeps.
#include <mpi.h>

#include <chrono>
#include <iostream>
#include <nlohmann/json.hpp>
#include <thread>

#include "common/clock.hpp"
#include "common/command_line.hpp"
#include "common/datatype.hpp"
#include "common/host.hpp"

namespace heddle::bench {
namespace {

using Json = nlohmann::ordered_json;

template <class Call>
Timed timed(Call call) {
  return {[call](long repetitions) {
    while (repetitions-- > 0) call();
  }};
}

/// One kind of call, by its MPI_ and its PMPI_ name.
struct Pair {
  const char* name;
  std::vector<Timed> forms;
};

/// The buffers outlive the calls below, which only refer to them.
struct Data {
  alignas(64) char out[256] = {};
  alignas(64) char in[256] = {};
};

std::vector<Pair> pairs(Data& data, MPI_Datatype sixteen) {
  char *const out = data.out, *const in = data.in;
  const MPI_Comm self = MPI_COMM_SELF;
  const auto with_receive = [=](auto send) {
    return [=] {
      MPI_Request request;
      PMPI_Irecv(in, 8, MPI_BYTE, 0, 0, self, &request);
      send(out, 8, MPI_BYTE, 0, 0, self);
      PMPI_Wait(&request, MPI_STATUS_IGNORE);
    };
  };
  const auto with_send = [=](auto receive) {
    return [=] {
      MPI_Request request;
      PMPI_Isend(out, 8, MPI_BYTE, 0, 0, self, &request);
      receive(in, 8, MPI_BYTE, 0, 0, self, MPI_STATUS_IGNORE);
      PMPI_Wait(&request, MPI_STATUS_IGNORE);
    };
  };
  // Operations that begin in one call and end in another.
  const auto begun_receive = [=](auto receive, auto wait, int bytes) {
    return [=] {
      MPI_Request request;
      receive(in, bytes, MPI_BYTE, 0, 0, self, &request);
      PMPI_Send(out, bytes, MPI_BYTE, 0, 0, self);
      wait(&request, MPI_STATUS_IGNORE);
    };
  };
  const auto begun_send = [=](auto send, auto wait, int bytes) {
    return [=] {
      MPI_Request requests[2];
      PMPI_Irecv(in, bytes, MPI_BYTE, 0, 0, self, &requests[0]);
      send(out, bytes, MPI_BYTE, 0, 0, self, &requests[1]);
      wait(&requests[1], MPI_STATUS_IGNORE);
      PMPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    };
  };
  const auto packing = [=](auto pack, int count, MPI_Datatype type) {
    return [=] {
      int position = 0;
      pack(out, count, type, in, 256, &position, self);
    };
  };
  const auto unpacking = [=](auto unpack) {
    return [=] {
      int position = 0;
      unpack(out, 256, &position, in, 64, MPI_BYTE, self);
    };
  };
  const auto exchanging = [=](auto exchange) {
    return [=] { exchange(out, 8, MPI_BYTE, 0, 0, in, 8, MPI_BYTE, 0, 0, self, MPI_STATUS_IGNORE); };
  };
  const auto broadcasting = [=](auto broadcast) { return [=] { broadcast(out, 8, MPI_BYTE, 0, self); }; };
  return {
      {"send 8 bytes to self", {timed(with_receive(MPI_Send)), timed(with_receive(PMPI_Send))}},
      {"receive 8 bytes from self", {timed(with_send(MPI_Recv)), timed(with_send(PMPI_Recv))}},
      {"sendrecv 8 bytes to self", {timed(exchanging(MPI_Sendrecv)), timed(exchanging(PMPI_Sendrecv))}},
      {"irecv 8 bytes, wait", {timed(begun_receive(MPI_Irecv, MPI_Wait, 8)), timed(begun_receive(PMPI_Irecv, PMPI_Wait, 8))}},
      {"irecv 256 bytes, wait",
       {timed(begun_receive(MPI_Irecv, MPI_Wait, 256)), timed(begun_receive(PMPI_Irecv, PMPI_Wait, 256))}},
      {"isend 8 bytes, wait", {timed(begun_send(MPI_Isend, MPI_Wait, 8)), timed(begun_send(PMPI_Isend, PMPI_Wait, 8))}},
      {"bcast 8 bytes to self", {timed(broadcasting(MPI_Bcast)), timed(broadcasting(PMPI_Bcast))}},
      {"pack 64 bytes", {timed(packing(MPI_Pack, 64, MPI_BYTE)), timed(packing(PMPI_Pack, 64, MPI_BYTE))}},
      {"pack 64 bytes, contiguous derived type", {timed(packing(MPI_Pack, 1, sixteen)), timed(packing(PMPI_Pack, 1, sixteen))}},
      {"unpack 64 bytes", {timed(unpacking(MPI_Unpack)), timed(unpacking(PMPI_Unpack))}},
  };
}

/// Receives without messages, as in a program that polls.
class Waiting {
 public:
  Waiting(Data& data, decltype(&MPI_Irecv) receive) {
    for (MPI_Request& request : requests_) receive(data.in, 256, MPI_BYTE, 0, 1, MPI_COMM_SELF, &request);
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;
  ~Waiting() {
    for (MPI_Request& request : requests_) MPI_Cancel(&request);
    MPI_Waitall(size, requests_, MPI_STATUSES_IGNORE);
  }

  Timed polled(decltype(&MPI_Testany) poll) {
    return timed([this, poll] {
      int index = 0, flag = 0;
      MPI_Status status;
      poll(size, requests_, &index, &flag, &status);
    });
  }

 private:
  static constexpr int size = 16;
  MPI_Request requests_[size];
};

void print(const Json& line) { std::cout << line.dump() << std::endl; }

void report(std::vector<Pair> calls, const std::string& who, const Effort& effort) {
  for (Pair& call : calls) {
    measure(call.forms, effort);
    for (const int form : {0, 1}) {
      const Spread& ns = call.forms[form].spread;
      print({{"bench", "overhead"},
             {"case", call.name},
             {"variant", form == 0 ? who : "direct"},
             {"metric", "call"},
             {"value", ns.median},
             {"unit", "ns"},
             {"lower", ns.lower},
             {"upper", ns.upper},
             {"best", ns.best},
             {"samples", ns.samples}});
    }
    print({{"done", call.name}});
  }
}

void run(int core, const Effort& effort) {
  Data data;
  Type sixteen = contiguous(16, MPI_INT);
  MPI_Type_commit(sixteen.address());
  const std::vector<Pair> calls = pairs(data, sixteen);
  const std::string mpi = library_name(), who = interposer();
  print({{"plan", calls.size() + 1}, {"mpi", mpi}, {"interposer", who}, {"core", pin(core)}});
  report(calls, who, effort);
  // Measured last: while these receives are posted, the library looks through them for each
  // message.
  Waiting ours(data, MPI_Irecv), direct(data, PMPI_Irecv);
  report({{"testany of 16 receives of 256 bytes, none complete", {ours.polled(MPI_Testany), direct.polled(PMPI_Testany)}}}, who,
         effort);
}

/// A barrier whose waiting ranks sleep, so that they take no core from others.
void sleep_until_all_are_here() {
  MPI_Request request = MPI_REQUEST_NULL;
  int here = 0;
  PMPI_Ibarrier(MPI_COMM_WORLD, &request);
  for (PMPI_Test(&request, &here, MPI_STATUS_IGNORE); !here; PMPI_Test(&request, &here, MPI_STATUS_IGNORE))
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
}

}  // namespace
}  // namespace heddle::bench

int main(int argc, char** argv) {  // NOLINT(bugprone-exception-escape): ends the program, as it should
  int core = -1;
  heddle::bench::Effort effort{.sample_ns = 2e5, .samples = 101, .at_least = 21, .budget_ns = 1e9};
  heddle::bench::CommandLine line{"Times calls on contiguous data, interposed and direct; prints JSON lines."};
  line.option("--core", core, "Core to run on (the last one by default)");
  line.option("--samples", effort.samples, "Samples of each call").between(3, 10000);
  if (const auto status = line.parse(argc, argv)) return *status;
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) heddle::bench::run(core, effort);
  heddle::bench::sleep_until_all_are_here();
  MPI_Finalize();
}
