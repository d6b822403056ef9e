#include "select/collective/sparse_choice.hpp"

#include <gtest/gtest.h>

#include "schedule/algorithms.hpp"

namespace heddle::select::sparse_choice_test {
namespace {

Where on_one_node(Rank ranks) {
  Where where;
  where.ranks = where.members = ranks;
  return where;
}

TEST(SparseChoice, GoesByWhatExchangesAreLike) {
  const Where where = on_one_node(64);
  const SparseChoice choice = sparse_choice({}, where);
  EXPECT_EQ(choice.name, choose_exchange(typical_exchange(where)).algorithm->name);
  EXPECT_TRUE(schedule::find(schedule::exchange(), choice.name));
  EXPECT_GE(choice.radix, 2);
}

TEST(SparseChoice, WhatAllRanksWishIsTaken) {
  Record record;
  record.exchange = settings::Exchange::crystal;
  record.radix = 4;
  const SparseChoice choice = sparse_choice(record, on_one_node(64));
  EXPECT_EQ(choice.name, "crystal");
  EXPECT_EQ(choice.radix, 4);
}

}  // namespace
}  // namespace heddle::select::sparse_choice_test
