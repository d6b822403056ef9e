// engine/node/lengths.cpp: which length stands for which size.
#include "engine/node/lengths.hpp"

namespace heddle::engine {

void LengthBook::publish(int code, bool unclear) noexcept {
  const Code& of = code_[code];
  std::uint64_t word = 0;
  if (of.total > 0)
    word = static_cast<std::uint64_t>(of.tag) << 32 | static_cast<std::uint64_t>(of.total) << 1 | (unclear ? 1 : 0);
  lengths_.shared_->words[code].store(word, std::memory_order_release);
}

// An unused length keeps its meaning until another size needs it. Of several, the one that was
// given back first changes first. The reason: a probe may have seen a message that another thread
// has received since, and looks up the meaning only now. Short lengths are preferred.
int LengthBook::take(Bytes total, int tag, std::uint64_t comm, Probed probed) noexcept {
  if (probed == Probed::never) return none;
  constexpr int row = Lengths::codes / 2;
  int found = none;
  for (int i = 0; i < Lengths::codes && Lengths::of(i) <= total && total <= Lengths::most; ++i) {
    if (i == row && found != none) break;
    const Code& code = code_[i];
    if (code.plain) continue;
    if (code.total == total && code.tag == tag && (code.comm == comm || code.users == 0)) {
      found = i;
      break;
    }
    if (code.users == 0 && (found == none || code.last < code_[found].last)) found = i;
  }
  if (found == none) {
    const bool others = unsized_.users > 0 && unsized_.comm != comm;
    if (probed == Probed::yes || total < Lengths::unsized || unsized_.plain || others) return refused;
    unsized_.comm = comm;
    ++unsized_.users;
    publish_unsized();
    return unsized;
  }
  Code& code = code_[found];
  ++code.users;
  code.comm = comm;
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
    --unsized_.users;
    publish_unsized();
    return;
  }
  Code& of = code_[code];
  of.last = ++given_;
  if (--of.users > 0 || !of.plain) return;
  of.total = 0;
  publish(code, false);
  settle(code);
}

void LengthBook::publish_unsized() noexcept {
  auto word = static_cast<std::uint32_t>(unsized_.users);
  if (unsized_.users > 0 && unsized_.plain) word |= Lengths::plain_too;
  lengths_.shared_->unsized.store(word, std::memory_order_release);
}

void LengthBook::sends_plainly(Bytes length, int tag) noexcept {
  if (length == Lengths::unsized) {
    unsized_.plain = true;
    publish_unsized();
    return settle(Lengths::codes);
  }
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
