// bench/links/nodes.cpp: see nodes.hpp.
#include "links/nodes.hpp"

#include <mpi.h>

#include <algorithm>
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/give_way.hpp"
#include "common/host.hpp"
#include "links/messages.hpp"

namespace heddle::bench::links {
namespace {

constexpr layout::Count blocks = 128;
constexpr layout::Bytes block = 8 << 10;
constexpr layout::Bytes short_block = 64;

/// True if the two ranks are on different nodes.
bool apart() {
  MPI_Comm node = MPI_COMM_NULL;
  int ranks = 0;
  PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  PMPI_Comm_size(node, &ranks);
  PMPI_Comm_free(&node);
  return ranks == 1;
}

class Measuring {
 public:
  Measuring(int me, const BetweenNodes& options) : me_(me), samples_(options.quick ? 9 : 41), messages_(me, options.provider) {
    const auto pieces = static_cast<layout::Count>(messages_.abilities().iov);
    print({{"provider", messages_.abilities().provider}, {"operations", (blocks + pieces - 1) / pieces}});
  }

  void library(const char* name, layout::Bytes bytes, int times) {
    measure(name, times, [&] { messages_.by_library(static_cast<int>(bytes), times); });
  }
  void fabric(const char* name, const layout::Layout& type, int times, const fabric::Plan& plan) {
    measure(name, times, [&] { messages_.by_fabric(type, plan, times); });
  }

 private:
  void print(const nlohmann::ordered_json& line) const {
    if (me_ == 0) std::cout << line.dump() << std::endl;
  }

  void measure(const char* name, int times, const std::function<void()>& act) {
    std::vector<double> us;
    act();  // makes the connection
    for (int sample = 0; sample < samples_; ++sample) {
      messages_.write(sample);
      messages_.until_both_are_here();
      const double start = PMPI_Wtime();
      act();
      us.push_back((PMPI_Wtime() - start) * 1e6 / (2 * times));
    }
    const auto lower = us.begin() + samples_ / 4;  // a disturbance only makes messages slower
    std::ranges::nth_element(us, lower);
    print({{"variant", name}, {"lower", *lower}});
  }

  int me_;
  int samples_;
  Messages messages_;
};

}  // namespace

void measure_between_nodes(const BetweenNodes& options) {
  if (!options.one_node && !apart())
    throw std::runtime_error(
        "both ranks are on one node. Let the launcher put them on two; with HEDDLE_NODES=2 one plays both.");
  int me = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &me);
  const layout::Layout byte = layout::basic(1);
  const layout::Layout longer = layout::vector(blocks, block, 2 * block, byte);
  const layout::Layout shorter = layout::vector(blocks / 16, block, 2 * block, byte);
  const layout::Layout scattered = layout::vector(blocks, short_block, 2 * block, byte);
  go_first();
  if (const std::vector<int> mine = cores(); options.one_node && mine.size() > 1) pin(mine[static_cast<std::size_t>(me)]);
  constexpr int often = 20;
  constexpr int seldom = 5;
  Measuring measuring(me, options);
  measuring.library("message", shorter.size(), often);
  measuring.library("message long", longer.size(), seldom);
  measuring.fabric("fabric", shorter, often, {.segment = 64 << 10});
  measuring.fabric("fabric cut", shorter, often, {.segment = 8 << 10});
  measuring.fabric("fabric long", longer, seldom, {.segment = 128 << 10});
  measuring.fabric("packed", scattered, often, {});
  measuring.fabric("gathered", scattered, often, {.if_unpacks = fabric::FabricScheme::rwg_up});
}

}  // namespace heddle::bench::links
