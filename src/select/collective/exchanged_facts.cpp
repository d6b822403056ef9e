// select/collective/exchanged_facts.cpp: packs the facts so that one minimum over all ranks gives
// the least and the greatest.
#include "select/collective/exchanged_facts.hpp"

#include <algorithm>

namespace heddle::select {
namespace {

struct Field {
  enum Number : std::size_t {
    all_able,
    all_room,
    all_noted,
    none_noted,
    mailboxes,
    cores,
    number,
    shared,
    exchange,
    radix,
    channels,
    segment,
    last
  };
};
constexpr std::size_t wishes = Field::last - Field::shared;  // each travels twice: for the least and for the greatest
static_assert(std::tuple_size_v<Record::Facts> == Field::last + wishes);

}  // namespace

Record::Facts Record::said(const Own& own, const settings::Settings& set) noexcept {
  Facts said{};
  said[Field::all_able] = own.able;
  said[Field::all_room] = own.room;
  said[Field::all_noted] = own.noted;
  said[Field::none_noted] = !own.noted;
  said[Field::mailboxes] = own.mailboxes;
  said[Field::cores] = own.cores;
  said[Field::number] = -own.number;
  said[Field::shared] = own.shared;
  said[Field::exchange] = static_cast<long>(set.exchange);
  said[Field::radix] = set.router.radix;
  said[Field::channels] = set.router.channels;
  said[Field::segment] = std::min<layout::Bytes>(set.router.segment, 1 << 30);
  for (std::size_t i = Field::shared; i < Field::last; ++i) said[i + wishes] = -said[i];
  return said;
}

Record::Record(const Facts& least) noexcept {
  const auto wish = [&least](Field::Number i, long otherwise) { return least[i] == -least[i + wishes] ? least[i] : otherwise; };
  able = least[Field::all_able] != 0;
  room = least[Field::all_room] != 0;
  noted_by_all = least[Field::all_noted] != 0;
  noted_by_none = least[Field::none_noted] != 0;
  mailboxes = least[Field::mailboxes] != 0;
  cores = static_cast<int>(least[Field::cores]);
  number = -least[Field::number];
  shared = wish(Field::shared, 0);
  exchange = static_cast<settings::Exchange>(wish(Field::exchange, static_cast<long>(settings::Exchange::automatic)));
  radix = static_cast<int>(wish(Field::radix, 0));
  channels = static_cast<int>(wish(Field::channels, 1));
  segment = wish(Field::segment, 0);
}

}  // namespace heddle::select
