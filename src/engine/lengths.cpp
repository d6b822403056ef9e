// engine/lengths.cpp: which length stands for which size.
#include "engine/lengths.hpp"

namespace heddle::engine {

void LengthBook::publish(int code, bool unclear) noexcept {
  const Code& of = code_[code];
  std::uint64_t word = 0;
  if (of.total > 0)
    word = static_cast<std::uint64_t>(of.tag) << 32 | static_cast<std::uint64_t>(of.total) << 1 | (unclear ? 1 : 0);
  lengths_.shared_->words[code].store(word, std::memory_order_release);
}

// A length that nobody uses keeps its meaning until another size needs it, the one given back first before the others: a probe
// may have seen a message that another thread has received meanwhile, and asks what it was only now. Short ones are preferred.
int LengthBook::take(Bytes total, int tag, Probed probed) noexcept {
  if (probed == Probed::never) return none;
  constexpr int row = Lengths::codes / 2;
  int found = none;
  for (int i = 0; i < Lengths::codes && Lengths::of(i) <= total && total <= Lengths::most; ++i) {
    if (i == row && found != none) break;
    const Code& code = code_[i];
    if (code.plain) continue;
    if (code.total == total && code.tag == tag) {
      found = i;
      break;
    }
    if (code.users == 0 && (found == none || code.last < code_[found].last)) found = i;
  }
  if (found == none) {
    if (probed == Probed::yes) return refused;
    lengths_.shared_->unsized.fetch_add(1, std::memory_order_release);
    return unsized;
  }
  Code& code = code_[found];
  ++code.users;
  if (code.total != total || code.tag != tag) {
    code.total = total;
    code.tag = tag;
    publish(found, false);
  }
  return found;
}

void LengthBook::give(int code) noexcept {
  if (code == none) return;
  if (code == unsized) {
    lengths_.shared_->unsized.fetch_sub(1, std::memory_order_release);
    return;
  }
  Code& of = code_[code];
  of.last = ++given_;
  if (--of.users > 0 || !of.plain) return;
  of.total = 0;
  publish(code, false);
  settle(code);
}

void LengthBook::sends_plainly(Bytes length, int tag) noexcept {
  const int code = Lengths::code_of(length);
  Code& of = code_[code];
  of.plain = true;
  const bool was = of.total > 0;
  if (of.users == 0) of.total = 0;
  if (of.users > 0 && of.tag != tag) return;
  if (was) publish(code, true);
  settle(code);
}

}  // namespace heddle::engine
