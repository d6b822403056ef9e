// report/explained.hpp: HEDDLE_EXPLAIN in a running program: observes its calls, and finds the
// datatypes to explain.
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
  /// @param next  Another observer, or null.
  Explained(const std::string& names, const Meanings& meanings, Observer* next)
      : asked_(names), meanings_(meanings), next_(next) {}

  Mark begins(const Called& called) noexcept final;
  void ends(const Called& called, const Mark& mark, bool done) noexcept final {
    if (next_) next_->ends(called, mark, done);
  }
  [[nodiscard]] bool follows_messages() const noexcept final { return next_ && next_->follows_messages(); }
  [[nodiscard]] bool needs_statuses() const noexcept final { return next_ && next_->needs_statuses(); }
  void number(const Ends& ends, std::uint64_t* numbers) const noexcept final {
    if (next_) next_->number(ends, numbers);
  }
  [[nodiscard]] Observer* next() const { return next_; }
  /// A sentence about names that matched nothing. Empty: all matched.
  [[nodiscard]] std::string missing() {
    const std::lock_guard guard(lock_);
    return asked_.missing();
  }

 protected:
  ~Explained() = default;
  struct Use {
    std::string name;   ///< Name of the datatype.
    std::string label;  ///< Heading of its explanation.
    std::string from;   ///< "MPI_Send from FILE:LINE"
  };
  /// Called for a datatype that the user asked for, by one thread at a time. It may have been
  /// explained before.
  virtual void tell(std::uint64_t type, std::int64_t count, const Use& use) = 0;
  [[nodiscard]] Asked& asked() { return asked_; }

 private:
  static constexpr std::size_t most_seen = std::size_t{1} << 16;

  void look(const Called& called, std::uint64_t type, std::int64_t count);
  /// @param number  of blocks
  void look_at(const Called& called, const Blocks& blocks, bool rooted, int number);
  void look_at_types(const Called& called, const Blocks& blocks, int number);
  const Place& place_of_call(const void* from);

  std::recursive_mutex lock_;  // freeing handles from the host may call the program's callbacks
  Asked asked_;
  const Meanings& meanings_;
  Observer* next_;
  std::map<std::tuple<const void*, int, std::uint64_t>, unsigned> seen_;  // value: handles_changed at the last look
  std::map<const void*, Place> places_;
};

}  // namespace heddle::report
