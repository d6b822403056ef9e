// The version texts of MPI libraries, and Heddle's names for the libraries.
#include "select/host_name.hpp"

#include <gtest/gtest.h>

namespace heddle::select::host_name_test {
namespace {

struct Facts {
  const char* version;
  const char* name;
  Host host;
};

// The whole text of MPI_Get_library_version, or its beginning.
constexpr Facts libraries[] = {
    {"MPICH Version:      5.0.2\nMPICH Release date: Tue Mar 17 2026\nMPICH ABI:          17:2:5\n", "MPICH Version: 5.0.2",
     Host::mpich},
    {"MPICH Version:\t4.2.0\nMPICH Release date:\tFri Feb  9 12:29:21 CST 2024\n", "MPICH Version: 4.2.0", Host::mpich},
    {"Open MPI v5.0.11, package: Open MPI root@node Distribution, ident: 5.0.11, repo rev: v5.0.11, Unreleased developer copy",
     "Open MPI v5.0.11", Host::openmpi},
    {"Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4, repo rev: v4.1.4, May 26, 2022", "Open MPI v4.1.4",
     Host::openmpi},
    {"Intel(R) MPI Library 2021.12 for Linux* OS\n", "Intel(R) MPI Library 2021.12 for Linux* OS", Host::mpich},
    {"MVAPICH2 Version      :\t2.3.7\nMVAPICH2 Release date :\tWed March 02 22:00:00 EST 2022\n", "MVAPICH2 Version : 2.3.7",
     Host::mpich},
    {"MPI VERSION    : CRAY MPICH version 8.1.29.33 (ANL base 3.4a2)\nMPI BUILD INFO : Wed Feb 07 18:07 2024\n",
     "MPI VERSION : CRAY MPICH version 8.1.29.33 (ANL base 3.4a2)", Host::mpich},
    {"", "", Host::mpich},
    {"one line without an end", "one line without an end", Host::mpich},
    {" \t begins with blanks\r\n", "begins with blanks", Host::mpich},
};

TEST(HostName, IsTheFirstWordsAsAPersonWritesThem) {
  for (const Facts& library : libraries) EXPECT_EQ(host_name(library.version), library.name);
}

TEST(HostName, TellsTheFamily) {
  for (const Facts& library : libraries) EXPECT_EQ(host_of(host_name(library.version)), library.host) << library.version;
}

}  // namespace
}  // namespace heddle::select::host_name_test
