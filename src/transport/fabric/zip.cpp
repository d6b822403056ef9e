// transport/fabric/zip.cpp: takes the shorter piece of the two sides, again and again.
#include "transport/fabric/zip.hpp"

#include <algorithm>

namespace heddle::transport::fabric {

bool Zip::next(std::size_t most_local, std::size_t most_remote, Transfer& transfer) {
  transfer.local.clear();
  transfer.descriptors.clear();
  transfer.remote.clear();
  transfer.bytes = 0;
  bool local_open = false;  // the last piece of the operation continues
  bool remote_open = false;
  while (left_ > 0) {
    if (here_.length == 0) here_ = local_.next(left_);
    if (there_.length == 0) there_ = remote_.next(left_);
    if ((!local_open && transfer.local.size() == most_local) || (!remote_open && transfer.remote.size() == most_remote)) break;
    const Bytes bytes = std::min(here_.length, there_.length);
    if (bytes == 0) {  // one side is shorter than announced
      lost_ = true;
      return false;
    }
    if (local_open) {
      transfer.local.back().iov_len += static_cast<std::size_t>(bytes);
    } else {
      transfer.local.push_back({base_ + here_.offset, static_cast<std::size_t>(bytes)});
      transfer.descriptors.push_back(describe_(base_ + here_.offset));
    }
    if (remote_open) {
      transfer.remote.back().length += static_cast<std::uint64_t>(bytes);
    } else {
      Remote place;
      if (!locate_(there_.offset, there_.length, place)) {
        lost_ = true;
        return false;
      }
      place.length = static_cast<std::uint64_t>(bytes);
      transfer.remote.push_back(place);
    }
    here_ = {here_.offset + bytes, here_.length - bytes};
    there_ = {there_.offset + bytes, there_.length - bytes};
    local_open = here_.length > 0;
    remote_open = there_.length > 0;
    transfer.bytes += bytes;
    left_ -= bytes;
  }
  return transfer.bytes > 0;
}

}  // namespace heddle::transport::fabric
