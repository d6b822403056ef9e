// The providers of libfabric that are tried, and their order. The test opens no provider.
#include "engine/network/providers.hpp"

#include <gtest/gtest.h>

namespace heddle::engine::providers_test {
namespace {

const select::Profile& builtin() { return select::builtin(); }

TEST(Providers, TheOneThatIsNamedAndNoOther) {
  const auto all = providers("verbs;ofi_rxm", {}, builtin());
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].provider, "verbs;ofi_rxm");
}

TEST(Providers, SocketsOnlyWhereTheyAreNamed) {
  EXPECT_TRUE(providers("tcp", {}, builtin())[0].sockets);
  const auto all = providers("auto", {}, builtin());
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].provider, "");
  EXPECT_FALSE(all[0].sockets);
}

TEST(Providers, ThenTheOneThatWasMeasuredToPay) {
  select::BetweenNodes slow_library{
      .message = 120'000, .byte = 0.9, .greeting = 60'000, .segment = 8000, .operation = 10'000, .fabric_byte = 0.3};
  ASSERT_TRUE(slow_library.set_name("tcp"));
  const auto all = providers("auto", slow_library, builtin());
  ASSERT_EQ(all.size(), 2U);
  EXPECT_FALSE(all[0].sockets);
  EXPECT_EQ(all[1].provider, "tcp");
  EXPECT_EQ(providers("verbs", slow_library, builtin()).size(), 1U);
}

TEST(Providers, WhoDoesNotOpenSaysWhy) {
  std::string why;
  EXPECT_EQ(open_first({{.provider = "first of none"}, {.provider = "unheard-of"}}, {}, why), nullptr);
  EXPECT_NE(why, "");
}

}  // namespace
}  // namespace heddle::engine::providers_test
