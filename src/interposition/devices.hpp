// interposition/devices.hpp: memory of accelerators, which hosts that know of it take as they take
// other memory. Heddle's processor cannot read it, and whether an address is such memory only the
// driver knows. So Heddle is off where both are there: a host that takes such memory, and a driver.
// Hosts that do load the driver in MPI_Init at the latest. HEDDLE_DEVICES=none: no buffer is such
// memory, and Heddle is on.
#pragma once

namespace heddle::interposition {

/// After the host's MPI_Init: the driver whose memory the host takes, as its library is called; null: none.
const char* device_driver() noexcept;

}  // namespace heddle::interposition
