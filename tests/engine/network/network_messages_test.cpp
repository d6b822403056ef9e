// Messages between nodes, with two ranks in this process. They go over a fabric that needs no
// hardware. If the fabric does not bring them, memory stands for the host's messages.
#include <gtest/gtest.h>

#include <chrono>
#include <deque>
#include <map>
#include <utility>

#include "engine/network/fabric_receive.hpp"
#include "engine/network/fabric_send.hpp"
#include "engine/network/kept_memory.hpp"
#include "layout/pack.hpp"

namespace heddle::engine::network_messages_test {
namespace {

using transport::fabric::Elements;
using transport::fabric::Fabric;
using transport::fabric::FabricScheme;
using transport::fabric::Plan;
using Content = std::vector<std::byte>;

constexpr Nonce job{0x1234567890abcdef, 0x0fedcba987654321};

/// A packed message that the host has. Host: by the sender's number of the message.
struct Packed {
  Content bytes;
  bool received = false;
};
using Host = std::map<std::uint32_t, Packed>;

/// One rank.
class Rank final : public Network {
 public:
  Rank(int me, bool with_fabric) : with_fabric_(with_fabric) {
    me_ = me;
    ranks_ = 2;
    nonce_ = job;
    threshold_ = network_descriptor_bytes;
  }
  void tell(int rank, const Word& word) override { said.emplace_back(rank, word); }
  void complain_of(int /*rank*/) override {}
  std::unique_ptr<Fabric> make_fabric() override {
    transport::fabric::Failure failure{};
    std::string why;
    auto made = with_fabric_ ? Fabric::open({.wanted = {.provider = "tcp"}, .nonce = job[0]}, failure, why) : nullptr;
    if (made) costs_ = select::network_of(made->abilities().provider, 4, 4);
    return made;
  }
  void has_no_fabric(const char* /*why*/) noexcept override {}
  void hear() noexcept override {
    while (!heard_words.empty()) {
      const auto [from, word] = heard_words.front();
      heard_words.pop_front();
      heard(word, from);
    }
  }
  using Network::busy;
  using Network::close;

  std::deque<std::pair<int, Word>> said, heard_words;

 private:
  bool with_fabric_;
};

class Send final : public NetworkSend {
 public:
  Send(Network& network, int to, Host& host) : NetworkSend(network, to), host_(host) {}
  ~Send() override { give_up(); }
  using NetworkSend::begun;
  using NetworkSend::descriptor;
  using NetworkSend::number;
  using NetworkSend::open;

 private:
  bool descriptor_is_received() noexcept override { return true; }
  bool send_packed(const std::byte* packed, Bytes bytes) noexcept override {
    host_[number()].bytes.assign(packed, packed + bytes);
    return true;
  }
  bool packed_is_received() noexcept override { return host_[number()].received; }

  Host& host_;
};

class Receive final : public NetworkReceive {
 public:
  Receive(Network& network, Host& host, const Landing& landing) : NetworkReceive(network), host_(host), landing_(landing) {}
  ~Receive() override { close(); }
  using NetworkReceive::begun;
  using NetworkReceive::complaint_of;
  using NetworkReceive::End;

  void cancel() noexcept override {}
  std::optional<NetworkDescriptor> arrived;
  std::optional<End> has_ended;

 private:
  bool look_at_posted() noexcept override {
    if (arrived && read_descriptor(&*arrived)) fetch(landing_);
    return over();
  }
  bool packed_comes() noexcept override { return host_.contains(descriptor().announcement.from); }
  bool receive_packed(std::byte* packed, Bytes /*bytes*/) noexcept override {
    into_ = packed;
    return true;
  }
  Packed look_at_packed() noexcept override {
    const auto found = host_.find(descriptor().announcement.from);
    if (found == host_.end()) return Packed::under_way;
    std::copy(found->second.bytes.begin(), found->second.bytes.end(), into_);
    found->second.received = true;
    return Packed::here;
  }
  bool cancel_packed() noexcept override { return !packed_comes(); }
  bool unpack(const std::byte* packed, Bytes bytes) noexcept override {
    std::copy_n(packed, bytes, landing_.elements.base);
    return true;
  }
  void ended(End how) noexcept override { has_ended = how; }

  Host& host_;
  Landing landing_;
  std::byte* into_ = nullptr;
};

/// Every second run of `block` bytes.
layout::Layout holes(Count blocks, Bytes block) { return layout::vector(blocks, block, 2 * block, layout::basic(1)); }

/// Rank 0 sends, rank 1 receives.
class Messages : public testing::Test {
 protected:
  static constexpr Bytes total = 256 << 10;
  const layout::Layout from = holes(total / 64, 64);
  const layout::Layout into = holes(total / 4096, 4096);

  void SetUp() override {
    for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<std::byte>(i * 31 + i / 251);
  }
  void TearDown() override {
    send.reset();
    receive.reset();
    for (auto& rank : ranks)
      if (rank) rank->close();
  }

  /// False: this machine has no such fabric.
  bool start(bool receiver_has_fabric = true) {
    for (int i = 0; i < 2; ++i) ranks[i] = std::make_unique<Rank>(i, i == 0 || receiver_has_fabric);
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return false;  // libfabric is not built for sanitizers
#endif
    return ranks[0]->open() && (!receiver_has_fabric || ranks[1]->open());
  }
  void begin_send(FabricScheme if_unpacks = FabricScheme::bc_spup, FabricScheme if_in_place = FabricScheme::multi_w) {
    send = std::make_shared<Send>(*ranks[0], 1, host);
    ASSERT_TRUE(send->open({&from, 1, sent.data()}, {.if_unpacks = if_unpacks, .if_in_place = if_in_place}));
    ASSERT_TRUE(ranks[0]->add(send));
    send->begun();
  }
  void begin_receive(const Landing& landing) {
    receive = std::make_shared<Receive>(*ranks[1], host, landing);
    ASSERT_TRUE(ranks[1]->add(receive));
    receive->begun();
  }
  [[nodiscard]] Landing whole() {
    return {.elements = {&into, 1, received.data()}, .room = total, .statistics = &statistics, .kept = nullptr};
  }
  /// Until `holds`, or for 100 seconds.
  template <class Holds>
  bool go_on_until(Holds holds) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(100);
    while (std::chrono::steady_clock::now() < until) {
      for (auto& rank : ranks) rank->advance();
      for (int i = 0; i < 2; ++i)
        for (; !ranks[i]->said.empty(); ranks[i]->said.pop_front())
          ranks[1 - i]->heard_words.emplace_back(i, ranks[i]->said.front().second);
      if (holds()) return true;
    }
    return false;
  }
  bool both_over() {
    return go_on_until([this] { return send->over() && receive->over(); });
  }
  /// The first `bytes` bytes of the message have arrived.
  void expect_arrived(Bytes bytes) {
    Content out(total), in(total);
    layout::pack(from, 1, sent.data(), out.data());
    layout::pack(into, 1, received.data(), in.data());
    EXPECT_TRUE(std::equal(out.begin(), out.begin() + bytes, in.begin()));
  }
  [[nodiscard]] bool nothing_under_way() { return !ranks[0]->busy() && !ranks[1]->busy(); }

  Host host;
  std::unique_ptr<Rank> ranks[2];
  std::shared_ptr<Send> send;
  std::shared_ptr<Receive> receive;
  Content sent = Content(2 * total);
  Content received = Content(2 * total);
  const select::Statistics statistics{into};
};

// On a busy machine the receiver may not answer in time. Then the host brings the message.
TEST_F(Messages, GoFromHolesToHolesByEachScheme) {
  if (!start()) GTEST_SKIP() << "no tcp";
  ASSERT_TRUE(go_on_until([this] { return ranks[0]->reaches(1); }));
  for (const auto scheme : {select::Scheme::bc_spup, select::Scheme::rwg_up, select::Scheme::p_rrs, select::Scheme::multi_w}) {
    bool by_fabric = false;
    for (int tries = 0; tries < 50 && !by_fabric; ++tries) {
      std::fill(received.begin(), received.end(), std::byte{});
      const bool gathers = scheme == select::Scheme::rwg_up;
      const bool offers = scheme == select::Scheme::p_rrs;
      begin_send(gathers ? FabricScheme::rwg_up : FabricScheme::bc_spup, offers ? FabricScheme::p_rrs : FabricScheme::multi_w);
      Landing landing = whole();
      landing.scheme = scheme;
      begin_receive(landing);
      EXPECT_FALSE(receive->will_end()) << "nothing has arrived";
      receive->arrived = send->descriptor();
      ASSERT_TRUE(both_over());
      EXPECT_EQ(receive->has_ended, Receive::End::whole);
      expect_arrived(total);
      by_fabric = !host.contains(send->number());
    }
    EXPECT_TRUE(by_fabric) << select::name(scheme);
  }
  EXPECT_TRUE(go_on_until([this] { return nothing_under_way(); }));
}

TEST_F(Messages, LongerThanTheirReceiveArriveAsFarAsTheyFit) {
  if (!start()) GTEST_SKIP() << "no tcp";
  begin_send();
  Landing landing = whole();
  landing.room = total / 2;
  begin_receive(landing);
  receive->arrived = send->descriptor();
  ASSERT_TRUE(both_over());
  EXPECT_EQ(receive->has_ended, Receive::End::truncated);
  expect_arrived(total / 2);
}

TEST_F(Messages, OfAnUnknownTypeAreUnpackedByWhoKnowsIt) {
  if (!start()) GTEST_SKIP() << "no tcp";
  begin_send();
  begin_receive({.elements = {nullptr, 0, received.data()}, .room = total});
  receive->arrived = send->descriptor();
  ASSERT_TRUE(both_over());
  EXPECT_EQ(receive->has_ended, Receive::End::whole);
  Content out(total);
  layout::pack(from, 1, sent.data(), out.data());
  EXPECT_TRUE(std::equal(out.begin(), out.end(), received.begin()));
}

TEST_F(Messages, ThatNobodyAnswersAreTheHosts) {
  if (!start()) GTEST_SKIP() << "no tcp";
  begin_send();
  ASSERT_TRUE(go_on_until([this] { return send->over(); }));
  ASSERT_TRUE(host.contains(send->number())) << "packed";
  EXPECT_TRUE(ranks[0]->busy()) << "until it is received";
  begin_receive(whole());
  receive->arrived = send->descriptor();
  ASSERT_TRUE(go_on_until([this] { return receive->over() && nothing_under_way(); }));
  EXPECT_EQ(receive->has_ended, Receive::End::whole);
  expect_arrived(total);
}

TEST_F(Messages, ToARankWithoutAFabricAreTheHosts) {
  if (!start(false)) GTEST_SKIP() << "no tcp";
  begin_send();
  begin_receive(whole());
  receive->arrived = send->descriptor();
  ASSERT_TRUE(both_over());
  EXPECT_EQ(receive->has_ended, Receive::End::whole);
  expect_arrived(total);
  EXPECT_TRUE(host.at(send->number()).received);
}

TEST_F(Messages, ARankAtItsEndOpensNoFabricForWhoeverAsks) {
  if (!start()) GTEST_SKIP() << "no tcp";
  auto& [asks, ends] = ranks;
  ends = std::make_unique<Rank>(1, true);
  ends->open_no_more();
  EXPECT_FALSE(asks->reaches(1));
  bool answered = false;
  EXPECT_TRUE(go_on_until([&] {
    answered = answered || !asks->heard_words.empty();
    return answered && asks->heard_words.empty();
  }));
  EXPECT_FALSE(asks->reaches(1));
  EXPECT_FALSE(ends->open());
  EXPECT_TRUE(nothing_under_way());
  Rank open_already(0, true);
  ASSERT_TRUE(open_already.open());
  open_already.open_no_more();
  EXPECT_TRUE(open_already.open()) << "it stays open";
  open_already.close();
}

TEST_F(Messages, ThatNobodyWantsAreDropped) {
  if (!start()) GTEST_SKIP() << "no tcp";
  begin_send();
  ranks[1]->tell_sender(send->descriptor(), Word::unwanted);
  ASSERT_TRUE(go_on_until([this] { return send->over() && nothing_under_way(); }));
  EXPECT_TRUE(host.empty());
}

TEST_F(Messages, ADescriptorThatIsDamagedFails) {
  start();
  begin_receive(whole());
  NetworkDescriptor damaged;
  damaged.nonce = job;
  damaged.sender = 0;
  receive->arrived = damaged;
  ASSERT_TRUE(go_on_until([this] { return receive->over(); }));
  EXPECT_EQ(receive->has_ended, Receive::End::unsound);
  EXPECT_NE(Receive::complaint_of(Receive::End::unsound), nullptr);
  EXPECT_EQ(Receive::complaint_of(Receive::End::truncated), nullptr) << "that is the program's mistake, not the fabric's";
  EXPECT_NE(receive->arrived->nonce, job) << "it is not to be found again";
}

TEST_F(Messages, ThatComeIntoTooShortAReceiveAreTurnedAway) {
  if (!start()) GTEST_SKIP() << "no tcp";
  begin_send();
  NetworkDescriptor arrived = send->descriptor();
  EXPECT_EQ(ranks[1]->announced(&arrived, sizeof arrived), arrived.total);
  EXPECT_FALSE(ranks[1]->announced(&arrived, sizeof arrived + 1)) << "a message of the program's that begins like it";
  EXPECT_FALSE(ranks[1]->turns_away(&arrived, sizeof arrived - 1)) << "it is not all there";
  EXPECT_TRUE(ranks[1]->turns_away(&arrived, sizeof arrived));
  EXPECT_FALSE(ranks[1]->turns_away(&arrived, sizeof arrived)) << "it is not to be found again";
  EXPECT_TRUE(go_on_until([this] { return send->over(); })) << "its sender has been told";
}

// The sender no longer has the message: it took the message for delivered.
TEST_F(Messages, ThatAreGoneFail) {
  if (!start(false)) GTEST_SKIP() << "no tcp";
  begin_send();
  begin_receive(whole());
  receive->arrived = send->descriptor();
  ASSERT_TRUE(go_on_until([this] { return receive->will_end(); })) << "it waits for the host";
  ranks[0]->tell(1, {Word::gone, send->number()});
  ASSERT_TRUE(go_on_until([this] { return receive->over(); }));
  EXPECT_EQ(receive->has_ended, Receive::End::lost);
}

TEST_F(Messages, OfWhichTheirSenderKnowsNothingAreGone) {
  start();
  ranks[0]->heard_words.emplace_back(1, Word{Word::lost, 7});
  EXPECT_TRUE(go_on_until([this] { return !ranks[1]->heard_words.empty(); }));
  EXPECT_EQ(ranks[1]->heard_words.front().second.kind, Word::gone);
  EXPECT_EQ(ranks[1]->heard_words.front().second.number, 7U);
}

TEST_F(Messages, ArePlannedByWhatPaysUnlessASchemeIsForced) {
  if (!start()) GTEST_SKIP() << "no tcp";
  const Offer piece{.bytes = total, .count = 1, .piece = true, .statistics = &statistics, .kept = false};
  EXPECT_FALSE(plan_of(*ranks[0], 1, piece, {})) << "nobody scatters it";
  Offer holes = piece;
  holes.piece = false;
  const auto plan = plan_of(*ranks[0], 1, holes, {.forced = true, .scheme = select::Scheme::rwg_up, .segment = 4096});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->if_unpacks, FabricScheme::rwg_up);
  EXPECT_EQ(plan->segment, 4096);
}

TEST_F(Messages, OfAPersistentOperationHaveTheirMemoryRegisteredUntilItIsFreed) {
  EXPECT_EQ(NetworkMemory::made(nullptr), nullptr);
  if (!start()) GTEST_SKIP() << "no tcp";
  KeptMemory memory = NetworkMemory::made(ranks[0].get());
  ASSERT_NE(memory, nullptr);
  const transport::fabric::Registration* registered = nullptr;
  {
    const Network::Access access(*ranks[0]);
    ASSERT_TRUE(access);
    const Elements elements{&from, 1, sent.data()};
    ASSERT_EQ(access->registrations().hold_again(elements, false, 64, memory->holding), transport::fabric::Failure::none);
    registered = memory->holding.all().front();
    EXPECT_EQ(registered->users, 1);
  }
  memory.reset();
  EXPECT_EQ(registered->users, 0) << "the provider is one whose registrations are kept for the next message";
}

TEST_F(Messages, MemoryThatIsFreedAfterTheNetworkIsClosedIsNobodys) {
  if (!start()) GTEST_SKIP() << "no tcp";
  KeptMemory memory = NetworkMemory::made(ranks[0].get());
  {
    const Network::Access access(*ranks[0]);
    const Elements elements{&from, 1, sent.data()};
    ASSERT_EQ(access->registrations().hold_again(elements, false, 64, memory->holding), transport::fabric::Failure::none);
  }
  ranks[0]->close();
  EXPECT_FALSE(Network::Access(*ranks[0]));
  memory.reset();
}

}  // namespace
}  // namespace heddle::engine::network_messages_test
