#include "select/collective/sparse_way.hpp"

#include <gtest/gtest.h>

#include "schedule/algorithms.hpp"

namespace heddle::select {
namespace {

Where on_one_node(Rank ranks) {
  Where where;
  where.ranks = where.members = ranks;
  return where;
}

TEST(SparseWay, GoesByWhatExchangesAreLike) {
  const Where where = on_one_node(64);
  const SparseWay way = sparse_way({}, where);
  EXPECT_EQ(way.name, choose_exchange(typical_exchange(where)).algorithm->name);
  EXPECT_TRUE(schedule::find(schedule::exchange(), way.name));
  EXPECT_GE(way.radix, 2);
}

TEST(SparseWay, WhatAllRanksWishIsTaken) {
  Record record;
  record.exchange = settings::Exchange::crystal;
  record.radix = 4;
  const SparseWay way = sparse_way(record, on_one_node(64));
  EXPECT_EQ(way.name, "crystal");
  EXPECT_EQ(way.radix, 4);
}

}  // namespace
}  // namespace heddle::select
