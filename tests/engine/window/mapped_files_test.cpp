// Places of shared memory, from the system's list of mappings.
#include "engine/window/mapped_files.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <memory>

#include "transport/region.hpp"

namespace heddle::engine::mapped_files_test {
namespace {

constexpr const char* listed =
    "55f8a70e8000-55f8a722c000 rw-p 00000000 00:00 0                          [heap]\n"
    "7f0000000000-7f0000004000 rw-s 00001000 00:1b 126996                     /dev/shm/a file with spaces (deleted)\n"
    "7f0000004000-7f0000006000 rw-s 00005000 00:1b 126996                     /dev/shm/a file with spaces (deleted)\n"
    "7f0000006000-7f0000008000 r--s 00007000 00:1b 126996                     /dev/shm/a file with spaces (deleted)\n"
    "7f0000008000-7f000000a000 rw-p 00000000 00:1b 126996                     /dev/shm/a file with spaces (deleted)\n"
    "7f000000a000-7f000000c000 rw-s 00000000 08:1b 126996\n"
    "no mapping at all\n";

const void* at(std::uintptr_t address) { return reinterpret_cast<const void*>(address); }

}  // namespace

TEST(MappedFiles, KnowPlacesOfSharedMemoryThatMayBeWritten) {
  const MappedFiles files{std::string_view(listed)};
  EXPECT_EQ(files.place_of(at(0x7f0000000010), 16), (FilePlace{0x1b, 126996, 0x1010}));
  EXPECT_FALSE(files.place_of(at(0x55f8a70e8000), 16)) << "the heap is private";
  EXPECT_FALSE(files.place_of(at(0x7f0000006000), 16)) << "it cannot be written";
  EXPECT_FALSE(files.place_of(at(0x7f0000008000), 16)) << "stores into it are private";
  EXPECT_FALSE(files.place_of(at(0x7f0000000000), 0)) << "no bytes";
  EXPECT_FALSE(files.place_of(nullptr, 16));
  EXPECT_NE(files.place_of(at(0x7f000000a000), 16).device, 0x1bU) << "another device";
}

TEST(MappedFiles, JoinPiecesThatContinueEachOther) {
  const MappedFiles files{std::string_view(listed)};
  EXPECT_TRUE(files.place_of(at(0x7f0000003ff0), 32));
  EXPECT_EQ(files.address_of({0x1b, 126996, 0x1000}, 0x6000), at(0x7f0000000000));
  EXPECT_EQ(files.address_of({0x1b, 126996, 0x4ff8}, 16), at(0x7f0000003ff8));
}

TEST(MappedFiles, GiveAnAddressOnlyToBytesThatAreAllMapped) {
  const MappedFiles files{std::string_view(listed)};
  EXPECT_EQ(files.address_of({0x1b, 126996, 0x1000}, 0x6001), nullptr);
  EXPECT_EQ(files.address_of({0x1b, 126996, 0xff0}, 32), nullptr) << "it begins before the mapping";
  EXPECT_EQ(files.address_of({0x1b, 126997, 0x1000}, 16), nullptr) << "another file";
  EXPECT_EQ(files.address_of({}, 16), nullptr) << "no place";
  EXPECT_FALSE(files.place_of(at(0x7f0000005ff0), 32)) << "it ends behind the mapping";
}

// A process maps the same memory twice.
TEST(MappedFiles, OfThisProcessLeadToTheSameBytes) {
  constexpr Bytes bytes = 1 << 16;
  transport::Descriptor file;
  transport::Mapping one;
  ASSERT_EQ(transport::create_memory(bytes, file), 0);
  ASSERT_EQ(one.map(file.get(), 0, bytes, transport::Mapping::Access::write), 0);
  const FilePlace place = MappedFiles::of_process().place_of(one.base() + 100, 200);
  ASSERT_TRUE(place);
  EXPECT_EQ(place.offset, 100);
  auto* const other = static_cast<std::byte*>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0));
  ASSERT_NE(other, MAP_FAILED);
  one.unmap();
  std::byte* const there = MappedFiles::of_process().address_of(place, 200);
  EXPECT_EQ(there, other + 100);
  munmap(other, bytes);
  EXPECT_EQ(MappedFiles::of_process().address_of(place, 200), nullptr);
}

TEST(MappedFiles, TellPagesOfAFileFromOthers) {
  transport::Descriptor file;
  ASSERT_EQ(transport::create_memory(transport::page_size(), file), 0);
  transport::Mapping shared;
  ASSERT_EQ(shared.map(file.get(), 0, transport::page_size(), transport::Mapping::Access::write), 0);
  shared.base()[0] = std::byte{1};
  const auto own = std::make_unique<int>(1);
  EXPECT_TRUE(MappedFiles::looks_shared(shared.base()));
  EXPECT_FALSE(MappedFiles::looks_shared(own.get()));
  EXPECT_FALSE(MappedFiles::looks_shared(nullptr));
}

TEST(MappedFiles, MayBeUnmappedBesideASecondMapping) {
  transport::Descriptor file;
  const Bytes page = transport::page_size();
  ASSERT_EQ(transport::create_memory(3 * page, file), 0);
  transport::Mapping shared, observer;
  ASSERT_EQ(shared.map(file.get(), 0, 3 * page, transport::Mapping::Access::write), 0);
  ASSERT_EQ(observer.map(file.get(), 0, 3 * page, transport::Mapping::Access::write), 0);
  {
    const SecondMapping second(shared.base() + page - 8, page + 16);
    shared.unmap();
    ASSERT_NE(second.address(), nullptr);
    second.address()[0] = std::byte{1};
    second.address()[page + 15] = std::byte{2};
    EXPECT_EQ(observer.base()[page - 8], std::byte{1});
    EXPECT_EQ(observer.base()[2 * page + 7], std::byte{2});
  }
  int own = 0;
  EXPECT_EQ(SecondMapping(reinterpret_cast<std::byte*>(&own), sizeof own).address(), nullptr) << "private memory";
}

}  // namespace heddle::engine::mapped_files_test
