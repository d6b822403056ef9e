// mpi/communicators/made.cpp: calls as operations on groups.
#include "mpi/communicators/made.hpp"

#include <memory>
#include <stdexcept>
#include <vector>

#include "group/operations.hpp"

namespace heddle::mpi::communicators {
namespace {

group::Group front(const group::Group& parent, int size) {
  if (size == parent.size()) return parent;
  const group::Range first{.first = 0, .last = size - 1, .stride = 1};
  return group::range_incl(parent, {&first, 1});
}

std::optional<group::Group> part(const group::Group& parent, MPI_Comm cart, const int* remain) {
  int dims = 0;
  if (PMPI_Cartdim_get(cart, &dims) != MPI_SUCCESS) return {};
  const auto count = static_cast<std::size_t>(dims);
  std::vector<int> size(count);
  std::vector<int> periodic(count);
  std::vector<int> place(count);
  if (PMPI_Cart_get(cart, dims, size.data(), periodic.data(), place.data()) != MPI_SUCCESS) return {};
  const auto kept = std::make_unique<bool[]>(count);  // a span of flags; std::vector<bool> has none
  for (std::size_t i = 0; i < count; ++i) kept[i] = remain[i] != 0;
  return group::cart_sub(parent, size, {kept.get(), count}, place);
}

}  // namespace

void front_of(const char* call, MPI_Comm made, MPI_Comm parent, bool reordered) noexcept try {
  int size = 0;
  if (made == MPI_COMM_NULL) return;
  const std::optional<group::Group> group = reordered ? std::nullopt : known(parent);
  if (!group || PMPI_Comm_size(made, &size) != MPI_SUCCESS || size > group->size()) return leave(call, made);
  keep(call, made, front(*group, size));
} catch (const std::exception&) {
  leave(call, made);
}

void part_of(const char* call, MPI_Comm made, MPI_Comm parent, const int* remain) noexcept try {
  if (made == MPI_COMM_NULL) return;
  const std::optional<group::Group> group = known(parent);
  const std::optional<group::Group> found = group ? part(*group, parent, remain) : std::nullopt;
  if (!found) return leave(call, made);
  keep(call, made, *found);
} catch (const std::exception&) {
  leave(call, made);
}

void of_group(const char* call, MPI_Comm made, MPI_Group group) noexcept {
  if (made == MPI_COMM_NULL) return;
  if (const auto found = believed(group)) return keep(call, made, *found);
  leave(call, made);
}

}  // namespace heddle::mpi::communicators
