// transport/fabric/endpoint.cpp: an endpoint of libfabric's for reliable datagrams.
#include "transport/fabric/endpoint.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <limits>

#include "transport/fabric/provider.hpp"

namespace heddle::transport::fabric {
namespace {

class Libfabric final : public Endpoint {
 public:
  Libfabric(const Library& library, Info info) : library_(library), info_(std::move(info)), can_(abilities_of(*info_)) {}

  bool open(std::string& why);

  [[nodiscard]] const Abilities& abilities() const noexcept override { return can_; }
  [[nodiscard]] std::vector<std::byte> address() override;
  bool connect(std::span<const std::byte> address, Handle& peer) override;
  Posted post(const Post& what, Operation& operation, int* error) noexcept override;
  std::size_t poll(std::span<Event> events) noexcept override;
  int enlist(std::byte* start, Bytes length, bool writable, Region& region) noexcept override;
  void release(Region& region) noexcept override;
  void shut() noexcept override;
  ~Libfabric() override { shut(); }
  [[nodiscard]] std::string words(int error) const override { return library_.strerror(error); }

 private:
  Event failed() noexcept;
  [[nodiscard]] bool has(int mode) const noexcept { return (info_->domain_attr->mr_mode & mode) != 0; }

  const Library& library_;
  Info info_;
  Abilities can_;
  std::uint64_t next_key_ = 1;
  // These close in the opposite order.
  Opened<fid_fabric> fabric_;
  Opened<fid_domain> domain_;
  Opened<fid_av> addresses_;
  Opened<fid_cq> completions_;
  Opened<fid_ep> endpoint_;
};

bool Libfabric::open(std::string& why) {
  const auto succeeds = [&](const char* call, int error) {
    if (error == 0) return true;
    why = can_.provider + ": " + call + " failed (" + library_.strerror(-error) + ")";
    return false;
  };
  const auto owned = [](auto& owner, auto* object) {
    owner.reset(object);
    return object;
  };
  fid_fabric* fabric = nullptr;
  if (!succeeds("fi_fabric", library_.fabric(info_->fabric_attr, &fabric, nullptr))) return false;
  fid_domain* domain = nullptr;
  if (!succeeds("fi_domain", fi_domain(owned(fabric_, fabric), info_.get(), &domain, nullptr))) return false;
  fi_av_attr table{};
  table.type = info_->domain_attr->av_type == FI_AV_UNSPEC ? FI_AV_TABLE : info_->domain_attr->av_type;
  fid_av* addresses = nullptr;
  if (!succeeds("fi_av_open", fi_av_open(owned(domain_, domain), &table, &addresses, nullptr))) return false;
  addresses_.reset(addresses);
  fi_cq_attr queue{};
  queue.format = FI_CQ_FORMAT_DATA;
  queue.wait_obj = FI_WAIT_NONE;
  fid_cq* completions = nullptr;
  if (!succeeds("fi_cq_open", fi_cq_open(domain, &queue, &completions, nullptr))) return false;
  completions_.reset(completions);
  fid_ep* endpoint = nullptr;
  if (!succeeds("fi_endpoint", fi_endpoint(domain, info_.get(), &endpoint, nullptr))) return false;
  endpoint_.reset(endpoint);
  return succeeds("fi_ep_bind", fi_ep_bind(endpoint, &addresses->fid, 0)) &&
         succeeds("fi_ep_bind", fi_ep_bind(endpoint, &completions->fid, FI_TRANSMIT | FI_RECV)) &&
         succeeds("fi_enable", fi_enable(endpoint));
}

std::vector<std::byte> Libfabric::address() {
  std::size_t bytes = 256;
  std::vector<std::byte> name(bytes);
  int error = fi_getname(&endpoint_->fid, name.data(), &bytes);
  if (error == -FI_ETOOSMALL) {
    name.resize(bytes);
    error = fi_getname(&endpoint_->fid, name.data(), &bytes);
  }
  name.resize(error == 0 ? bytes : 0);
  return name;
}

bool Libfabric::connect(std::span<const std::byte> address, Handle& peer) {
  fi_addr_t handle = FI_ADDR_UNSPEC;
  if (fi_av_insert(addresses_.get(), address.data(), 1, &handle, 0, nullptr) != 1) return false;
  peer = handle;
  return true;
}

Posted Libfabric::post(const Post& what, Operation& operation, int* error) noexcept {
  constexpr std::size_t most = 64;
  if (!endpoint_) {
    if (error) *error = FI_EOPBADSTATE;
    return Posted::broken;
  }
  std::array<fi_rma_iov, most> places;
  auto* const descriptors = const_cast<void**>(what.descriptors.data());  // libfabric's lists are not const
  ssize_t answer = -FI_EINVAL;
  const std::uint64_t more = what.more ? FI_MORE : 0;
  if (what.kind == Post::send || what.kind == Post::receive) {
    fi_msg message{};
    message.msg_iov = what.local.data();
    message.desc = descriptors;
    message.iov_count = what.local.size();
    message.addr = what.kind == Post::send ? what.to : FI_ADDR_UNSPEC;
    message.context = &operation;
    answer = what.kind == Post::send ? fi_sendmsg(endpoint_.get(), &message, more | FI_COMPLETION | FI_TRANSMIT_COMPLETE)
                                     : fi_recvmsg(endpoint_.get(), &message, more | FI_COMPLETION);
  } else if (what.local.size() <= can_.iov && what.remote.size() <= std::min(can_.rma_iov, most)) {
    // The limits are checked here, because some providers silently leave out pieces beyond them.
    for (std::size_t i = 0; i < what.remote.size(); ++i)
      places[i] = {what.remote[i].address, what.remote[i].length, what.remote[i].key};
    fi_msg_rma message{};
    message.msg_iov = what.local.data();
    message.desc = descriptors;
    message.iov_count = what.local.size();
    message.addr = what.to;
    message.rma_iov = places.data();
    message.rma_iov_count = what.remote.size();
    message.context = &operation;
    message.data = what.data.value_or(0);
    answer = what.kind == Post::read
                 ? fi_readmsg(endpoint_.get(), &message, more | FI_COMPLETION)
                 : fi_writemsg(endpoint_.get(), &message,
                               more | FI_COMPLETION | FI_DELIVERY_COMPLETE | (what.data ? FI_REMOTE_CQ_DATA : 0));
  }
  if (answer == 0) return Posted::yes;
  if (answer == -FI_EAGAIN) return Posted::full;
  if (error) *error = static_cast<int>(-answer);
  return Posted::broken;
}

Event Libfabric::failed() noexcept {
  fi_cq_err_entry entry{};
  if (fi_cq_readerr(completions_.get(), &entry, 0) < 0) return {.kind = Event::completed, .error = FI_EIO};
  return {.kind = Event::completed,
          .error = entry.err != 0 ? entry.err : FI_EIO,
          .operation = static_cast<Operation*>(entry.op_context)};
}

std::size_t Libfabric::poll(std::span<Event> events) noexcept {
  if (!endpoint_) return 0;
  std::array<fi_cq_data_entry, 32> entries;
  const ssize_t read = fi_cq_read(completions_.get(), entries.data(), std::min(entries.size(), events.size()));
  if (read == -FI_EAVAIL && !events.empty()) {
    events[0] = failed();
    return 1;
  }
  if (read <= 0) return 0;
  for (ssize_t i = 0; i < read; ++i) {
    const fi_cq_data_entry& entry = entries[static_cast<std::size_t>(i)];
    Event& event = events[static_cast<std::size_t>(i)];
    if ((entry.flags & FI_REMOTE_CQ_DATA) != 0 && (entry.flags & FI_RECV) == 0)
      event = {.kind = Event::notified, .data = entry.data};
    else
      event = {.kind = Event::completed, .operation = static_cast<Operation*>(entry.op_context), .length = entry.len};
  }
  return static_cast<std::size_t>(read);
}

void Libfabric::shut() noexcept {
  // Take all events first, until no more arrive. Otherwise libfabric's rxm over verbs may crash
  // (seen in 1.17): after it has closed a connection, it reads the rest of its queue and posts
  // receives to that connection. Its own flow control messages are enough to cause this.
  if (endpoint_ && can_.provider.starts_with("verbs")) {
    using Clock = std::chrono::steady_clock;
    constexpr std::chrono::milliseconds quiet{20};
    constexpr std::chrono::seconds most{2};
    std::array<Event, 16> events;
    const auto begun = Clock::now();
    for (auto now = begun, last = begun; now - last < quiet && now - begun < most; now = Clock::now())
      if (poll(events) > 0) last = now;
  }
  endpoint_.reset();
}

int Libfabric::enlist(std::byte* start, Bytes length, bool writable, Region& region) noexcept {
  const std::uint64_t access = FI_WRITE | FI_REMOTE_READ | FI_SEND | (writable ? FI_READ | FI_REMOTE_WRITE | FI_RECV : 0);
  fid_mr* made = nullptr;
  const std::uint64_t key = has(FI_MR_PROV_KEY) ? 0 : next_key_++;
  int error = fi_mr_reg(domain_.get(), start, static_cast<std::size_t>(length), access, 0, key, 0, &made, nullptr);
  if (error == 0 && has(FI_MR_ENDPOINT)) {
    error = fi_mr_bind(made, &endpoint_->fid, 0);
    if (error == 0) error = fi_mr_enable(made);
    if (error != 0) fi_close(&made->fid);
  }
  if (error != 0) return -error;
  region = {.start = start,
            .length = length,
            .key = fi_mr_key(made),
            .address = has(FI_MR_VIRT_ADDR) ? reinterpret_cast<std::uint64_t>(start) : 0,
            .descriptor = fi_mr_desc(made),
            .writable = writable,
            .handle = made};
  return 0;
}

void Libfabric::release(Region& region) noexcept {
  if (region.handle) fi_close(&static_cast<fid_mr*>(region.handle)->fid);
  region = {};
}

}  // namespace

std::unique_ptr<Endpoint> open_endpoint(const Wanted& wanted, std::string& why) {
  const Library* const loaded = library(wanted.library, why);
  if (!loaded) return nullptr;
  Info info = find_provider(*loaded, wanted, why);
  if (!info) return nullptr;
  auto endpoint = std::make_unique<Libfabric>(*loaded, std::move(info));
  return endpoint->open(why) ? std::move(endpoint) : nullptr;
}

bool built_with_libfabric() noexcept { return true; }

}  // namespace heddle::transport::fabric
