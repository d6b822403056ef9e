// transport/fabric/provider.cpp: asks libfabric for providers, and checks its answer.
#include "transport/fabric/provider.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string_view>

namespace heddle::transport::fabric {
namespace {

constexpr std::uint32_t api = FI_VERSION(1, 9);  // 1.9 has mr_mode as it is today; later libraries still support it
constexpr std::size_t channel_bytes = 4;         // remote CQ data of a notification

/// Kinds of registration that enlist() of endpoint.cpp can do.
constexpr int registration_modes = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;

/// Providers for which libfabric has a registration cache and a memory monitor beneath fi_mr_reg. A
/// second cache above them would keep regions in use, and libfabric could not drop those when their
/// memory is unmapped.
constexpr std::string_view caching[] = {"verbs", "efa", "cxi", "gni", "ucx"};

/// Providers that work by sockets alone.
constexpr std::string_view by_sockets[] = {"tcp", "udp", "net", "sockets"};

/// Providers that only reach processes of this node.
constexpr std::string_view local_providers[] = {"shm", "sm2"};

bool one_of(std::string_view provider, std::span<const std::string_view> names) {
  const std::string_view core = provider.substr(0, provider.find(';'));
  return std::ranges::find(names, core) != names.end();
}

char* copy(const std::string& text) { return text.empty() ? nullptr : strdup(text.c_str()); }  // libfabric frees it

/// An ability that the provider lacks, in words. Empty: it lacks none.
std::string lack(const fi_info& info) {
  if (info.domain_attr->cq_data_size < channel_bytes)
    return "has " + std::to_string(info.domain_attr->cq_data_size) + " bytes of remote CQ data (4 are needed)";
  if (info.tx_attr->iov_limit < 1 || info.tx_attr->rma_iov_limit < 1) return "has no iovecs";
  if ((info.domain_attr->mr_mode & ~registration_modes) != 0) return "wants registrations of a kind that Heddle does not do";
  if ((info.mode & ~(FI_CONTEXT | FI_CONTEXT2)) != 0) return "wants a mode that Heddle does not do";
  if (info.domain_attr->mr_key_size > sizeof(std::uint64_t)) return "has keys of more than 8 bytes";
  return {};
}

}  // namespace

Info find_provider(const Library& library, const Wanted& wanted, std::string& why) {
  const Info hints(library.dupinfo(nullptr), FreeInfo{&library});
  if (!hints) {
    why = "libfabric has no memory";
    return {};
  }
  hints->caps = FI_MSG | FI_RMA | FI_READ | FI_WRITE | FI_SEND | FI_RECV | FI_REMOTE_READ | FI_REMOTE_WRITE;
  hints->mode = FI_CONTEXT | FI_CONTEXT2;
  hints->ep_attr->type = FI_EP_RDM;
  hints->domain_attr->mr_mode = registration_modes;
  hints->domain_attr->threading = FI_THREAD_DOMAIN;
  hints->domain_attr->resource_mgmt = FI_RM_ENABLED;
  hints->domain_attr->name = copy(wanted.domain);
  hints->fabric_attr->prov_name = copy(wanted.provider);
  hints->tx_attr->op_flags = FI_DELIVERY_COMPLETE;  // operations set it, too; here it leaves out providers without it

  fi_info* list = nullptr;
  const int error = library.getinfo(api, nullptr, nullptr, 0, hints.get(), &list);
  const Info found(list, FreeInfo{&library});
  const char* const environment = std::getenv("FI_PROVIDER");  // libfabric's own filter: the message names it
  const std::string who = (wanted.provider.empty() ? std::string("no provider") : "no provider \"" + wanted.provider + "\"") +
                          (wanted.domain.empty() ? "" : " on \"" + wanted.domain + "\"") +
                          (environment && *environment ? std::string(" with FI_PROVIDER=") + environment : "");
  if (error != 0) {
    why = who + " does reliable datagrams with RMA and FI_DELIVERY_COMPLETE (fi_getinfo: " + library.strerror(-error) +
          "); `fi_info -l` lists what there is";
    return {};
  }
  std::string lacks;
  for (const fi_info* info = found.get(); info; info = info->next) {
    std::string reason = lack(*info);
    // A provider that only reaches this node is left out unless it is asked for by name.
    const bool here_only = wanted.provider.empty() && !environment && one_of(info->fabric_attr->prov_name, local_providers);
    const bool slow = wanted.provider.empty() && !wanted.sockets && one_of(info->fabric_attr->prov_name, by_sockets);
    if (slow) reason = "works by sockets alone";
    if (reason.empty() && !here_only) return {library.dupinfo(info), FreeInfo{&library}};
    if (lacks.empty() && !reason.empty()) lacks = std::string("; ") + info->fabric_attr->prov_name + " " + reason;
  }
  why = who + " can carry Heddle's messages" + lacks;
  return {};
}

Abilities abilities_of(const fi_info& info) {
  Abilities can;
  can.provider = info.fabric_attr->prov_name;
  can.domain = info.domain_attr->name ? info.domain_attr->name : "";
  can.iov = info.tx_attr->iov_limit;
  can.rma_iov = info.tx_attr->rma_iov_limit;
  can.cq_data = info.domain_attr->cq_data_size;
  can.depth = std::max<std::size_t>(info.tx_attr->size, 16);
  can.largest = static_cast<Bytes>(std::min<std::size_t>(info.ep_attr->max_msg_size, std::numeric_limits<Bytes>::max()));
  can.delivery_complete = true;  // the hints demand it
  can.ordered_writes =
      (info.tx_attr->msg_order & info.rx_attr->msg_order & FI_ORDER_WAW) != 0 && info.ep_attr->max_order_waw_size >= (1U << 20);
  can.local_registration = (info.domain_attr->mr_mode & FI_MR_LOCAL) != 0;
  can.pins = (info.domain_attr->mr_mode & FI_MR_ALLOCATED) != 0;
  can.caches = one_of(can.provider, caching);
  can.node_local = one_of(can.provider, local_providers);
  return can;
}

}  // namespace heddle::transport::fabric
