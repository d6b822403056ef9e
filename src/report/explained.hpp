// report/explained.hpp: HEDDLE_EXPLAIN in a running program: looks on at its calls, and finds the
// datatypes that are to be told of.
//
//   class Explaining final : public report::Explained {
//     void tell(std::uint64_t type, std::int64_t count, const Use& use) override { ... asked().tell(use.name, text) ... }
//   };
#pragma once

#include <map>
#include <mutex>
#include <tuple>

#include "report/asked.hpp"
#include "report/called.hpp"

namespace heddle::report {

class Explained : public Observer {
 public:
  /// @param next  Who looks on, too; or null.
  Explained(const std::string& names, const Meanings& meanings, Observer* next)
      : asked_(names), meanings_(meanings), next_(next) {}

  Mark begins(const Called& called) noexcept final;
  void ends(const Called& called, const Mark& mark, bool done) noexcept final {
    if (next_) next_->ends(called, mark, done);
  }
  [[nodiscard]] Observer* next() const { return next_; }
  /// A sentence on names that nothing had; empty: there are none.
  [[nodiscard]] std::string missing() {
    const std::lock_guard guard(lock_);
    return asked_.missing();
  }

 protected:
  ~Explained() = default;
  struct Use {
    std::string name;   ///< Of the datatype.
    std::string label;  ///< What it is called where it is told of.
    std::string from;   ///< "MPI_Send from FILE:LINE"
  };
  /// Somebody wants to know of a datatype that the program uses; it may have been told of. By one thread at a time.
  virtual void tell(std::uint64_t type, std::int64_t count, const Use& use) = 0;
  [[nodiscard]] Asked& asked() { return asked_; }

 private:
  static constexpr std::size_t most_seen = std::size_t{1} << 16;

  void look(const Called& called, std::uint64_t type, std::int64_t count);
  void look_at(const Called& called, const Blocks& blocks, bool rooted);
  void look_at_lists(const Called& called);
  const Place& place_of_call(const void* from);

  std::recursive_mutex lock_;  // freeing what the host hands out may call the program
  Asked asked_;
  const Meanings& meanings_;
  Observer* next_;
  std::map<std::tuple<const void*, int, std::uint64_t>, unsigned> seen_;  // by which handles_changed
  std::map<const void*, Place> places_;
};

}  // namespace heddle::report
