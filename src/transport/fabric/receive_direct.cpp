// transport/fabric/receive_direct.cpp: Multi-W at the receiver, which only waits for `finished`.
#include "transport/fabric/incoming.hpp"

namespace heddle::transport::fabric {
namespace {

class DirectReceive final : public Receiving {
 public:
  using Receiving::Receiving;
  void heard(const Control& control) override { control.kind == Kind::finished ? in.finish() : in.fail(Failure::damaged); }
};

}  // namespace

std::unique_ptr<Receiving> receive_direct(Incoming& message) { return std::make_unique<DirectReceive>(message); }

}  // namespace heddle::transport::fabric
