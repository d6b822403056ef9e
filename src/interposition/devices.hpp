// interposition/devices.hpp: detects hosts that accept memory of accelerators. The processor cannot
// read such memory, and only the driver knows which addresses are such memory. So Heddle is off if
// the host accepts such memory and a driver is loaded. Such hosts load the driver in MPI_Init at
// the latest. HEDDLE_DEVICES=none promises that no buffer is such memory, and Heddle is on.
#pragma once

namespace heddle::interposition {

/// The file name of a driver whose memory the host accepts; null: none. Call it after the host's
/// MPI_Init.
const char* device_driver() noexcept;

}  // namespace heddle::interposition
