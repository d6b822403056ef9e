// settings/variables.cpp: the table of variables (heddle env).
#include "settings/settings.hpp"

namespace heddle::settings {
namespace {

constexpr auto library = Reader::library;
constexpr auto command_line = Reader::command_line;

constexpr auto values_of_transports = transport::with_names("auto, or a list of ");

constexpr Variable rows[] = {
    {"HEDDLE", "on", "on|off", "off: every call goes straight to the MPI library", library},
    {"HEDDLE_ISA", "auto", "auto|portable|avx2|avx512",
     "instruction set of the packing kernels; auto: the widest that the processor has", library},
    {"HEDDLE_MESSAGES", "auto", "auto|packed|native",
     "point-to-point messages of derived datatypes. auto: Heddle packs a message if the MPI library would move it more "
     "slowly",
     library},
    {"HEDDLE_SCHEME", "auto", "auto|native|bc-spup|rwg-up|p-rrs|multi-w|direct|both",
     "how large messages with holes move within a node; native: by the MPI library", library},
    {"HEDDLE_RENDEZVOUS", "8K", "bytes, with K, M, G or T",
     "within a node, Heddle announces messages with holes of at least this size to their receiver. HEDDLE_SCHEME then moves "
     "them",
     library},
    {"HEDDLE_CONTIGUOUS", "off", "on|off",
     "messages in one piece. on: Heddle announces pieces of 32 KiB to 4 MiB if the profile says that it moves them faster "
     "than the MPI library. off: only messages that their receiver scatters",
     library},
    {"HEDDLE_SEGMENT", "auto", "auto, or a power of two from 1K to 64K",
     "size of a segment. Sender and receiver can work on different segments of a message at the same time", library},
    {"HEDDLE_TRANSPORTS", "auto", std::string_view(values_of_transports.data(), values_of_transports.size()),
     "the transports that Heddle may use within a node. auto: all but xpmem. self and mpi, the MPI library, are always "
     "allowed, "
     "and so is ring if another one is. mpi alone: there is no node memory",
     library},
    {"HEDDLE_NODE_MEMORY", "256M", "bytes from 4M to 1T, with K, M, G or T",
     "address space that each process reserves for messages within a node. Pages take memory at their first use", library},
    {"HEDDLE_FABRIC", "auto", "auto, off, or a provider of libfabric as fi_info names it",
     "how large messages with holes go to other nodes. A provider's name: by libfabric over this provider, even tcp. auto: "
     "over the fastest provider that is more than sockets, or else over a provider that was faster when heddle tune measured "
     "it. off: packed, through the MPI library",
     library},
    {"HEDDLE_NODES", "1", "a number from 1 to 1024",
     "number of nodes, for tests: Heddle treats the ranks of one node as those of so many nodes, without shared memory. All "
     "ranks need the same value",
     library},
    {"HEDDLE_COLLECTIVES", "auto", "auto|native",
     "auto: alltoall and neighbour collectives go by Heddle's own schedules, pair by pair. native: Heddle packs around the "
     "MPI library's own algorithms. All ranks need the same value",
     library},
    {"HEDDLE_EXCHANGE", "auto", "auto|consensus|crystal|counts",
     "algorithm by which the ranks of heddle_exchange learn their senders. All ranks need the same value", library},
    {"HEDDLE_ROUTER", "auto", "auto, or a list of radix=2..9, channels=1..8, segment=bytes, beside=bytes, copies",
     "the crystal router. radix: parts that each round splits the ranks into. channels: messages that carry one bundle at the "
     "same time. segment: the router sends a segment of this size while it packs the next. beside: the router only announces "
     "messages of at least this size, which go straight. copies: all messages are copied in each round, as in the original "
     "algorithm. All ranks need the same value",
     library},
    {"HEDDLE_ALLGATHERV", "auto", "auto|native|ring|recursive-doubling|dissemination|pipelined-ring|two-level",
     "algorithm of MPI_Allgatherv; heddle algorithms describes them. native: the MPI library's own. All ranks need the same "
     "value",
     library},
    {"HEDDLE_ALLTOALLV", "auto", "auto|native|direct|crystal|bruck|two-level|round-robin",
     "algorithm of MPI_Alltoallv and its relatives; heddle algorithms describes them. Blocks of at least beside= of "
     "HEDDLE_ROUTER always go straight. native: the MPI library's own. All ranks need the same value",
     library},
    {"HEDDLE_TRIALS", "on", "on|off",
     "trials. on: each communicator lets Heddle and the MPI library each carry out a few alltoalls, MPI_Allgatherv and "
     "neighbour collectives, and then keeps the faster of the two. So does each file, for collective accesses to one piece of "
     "each rank. Each process tries two ways to pack for another core. off: Heddle chooses by its model. All ranks need the "
     "same value",
     library},
    {"HEDDLE_MAILBOXES", "on", "on|off",
     "short blocks of alltoalls and neighbour collectives within a node. on: ranks put the blocks into shared memory. off: "
     "the MPI library sends them as messages",
     library},
    {"HEDDLE_WINDOWS", "auto", "auto|on|off",
     "auto: within a node, MPI_Put and MPI_Get of much data with holes copy straight into and out of windows of "
     "MPI_Win_allocate and MPI_Win_allocate_shared. In jobs of one node, windows of MPI_Win_create are served in "
     "MPI_Win_fence. "
     "on: also little data, epochs of MPI_Win_start, and MPI_Win_create in jobs of several nodes if all ranks say so. off: the "
     "MPI library carries all out. If a rank says off, it holds for all ranks",
     library},
    {"HEDDLE_FILES", "auto", "auto|on|off",
     "auto: within a node, collective reads and writes of much data through views with holes exchange the data, and access "
     "long pieces of the file. If the data of each rank is one piece, the ranks access it without the library's exchange. "
     "Short pieces of memory are packed. on: also little data, all pieces of memory, and between nodes. off: the MPI library "
     "carries all out. If a rank says off, it holds for all ranks",
     library},
    {"HEDDLE_CHECK", "off", "on|off",
     "the ranks compare their plans in each collective that Heddle may carry. If the plans differ, for instance because "
     "counts do not match, the job ends with a message. All ranks need the same value",
     library},
    {"HEDDLE_WATCH", "some", "none|some|all",
     "how many announcements of messages within a node the sender watches. If the program receives a watched announcement "
     "past Heddle, the job ends with a message. some: the first to each rank, then one of 61",
     library},
    {"HEDDLE_PROFILE", "auto", "auto, builtin, or a file",
     "costs of moving bytes on this machine, measured by heddle tune. auto: the file that heddle tune writes, or else "
     "/etc/heddle/profile.json",
     library},
    {"HEDDLE_REPORT", "", "a file; %h host, %p process, %j job, %r rank of the writer",
     "rank 0 writes a report into this file at MPI_Finalize: the messages by scheme, and the time of each call. With "
     "HEDDLE=off the report has only the times of calls. heddle report shows the file",
     library},
    {"HEDDLE_TRACE", "", "a file, with %r for the rank",
     "at MPI_Finalize rank 0 writes a timeline of all ranks' calls into this file, for Perfetto and chrome://tracing. If "
     "the name has %r, each rank writes its own file. The timeline has the first 131,072 calls of each rank",
     library},
    {"HEDDLE_EXPLAIN", "", "a datatype's name, a function, FILE:LINE or MODULE+OFFSET; several, separated by commas; all",
     "rank 0 prints the lines of heddle explain on stderr for each datatype of this name, or used at this place, at its "
     "first use",
     library},
    {"HEDDLE_LOG", "off", "off|info|debug",
     "each rank prints on stderr how its calls are carried out. debug: a line or two for each call. info: the first line of "
     "each kind for each call site. All ranks need the variable",
     library},
    {"HEDDLE_YIELD", "auto", "auto|on|off",
     "waiting ranks give their core to others. auto: on if a node has more ranks than cores", library},
    {"HEDDLE_HEAP", "keep", "keep|system",
     "keep: malloc keeps up to 8 MiB of freed memory in each process. Programs that free small arrays in each step then fault "
     "no pages in again. system: Heddle leaves malloc alone",
     library},
    {"HEDDLE_DEVICES", "auto", "auto|none",
     "auto: Heddle is off if the MPI library takes memory of accelerators and their driver is loaded, because Heddle cannot "
     "read such memory. none: the program has no such buffers, and Heddle is on",
     library},
    {"HEDDLE_PATIENCE", "60", "seconds, from 1 to 3600",
     "how long a rank waits in MPI_Init for ranks that start late. If a rank has not answered by then, it runs without "
     "Heddle and the job ends with a message",
     library},
    {"HEDDLE_VERBOSE", "0", "0|1",
     "1: each process says at start what it runs on, which parts of Heddle are not in effect, and why", library},
    {"HEDDLE_DOCTOR", "off", "on|off",
     "Heddle says at the end of MPI_Init which parts of it are in effect, and ends the process before the program's own "
     "work. heddle doctor -- PROGRAM sets this variable",
     library},
    {"HEDDLE_POOL_LIMIT", "1G", "bytes, with K, M, G or T",
     "staging buffers that a process may keep between calls. Heddle allocates and frees anything beyond", library},
    {"HEDDLE_CONFIG", "", "a file, or none",
     "file with settings, a line NAME=VALUE each, instead of ~/.config/heddle/heddle.conf. The environment overrides this "
     "file, and this file overrides /etc/heddle/heddle.conf. none: Heddle reads neither file",
     command_line},
    {"HEDDLE_CACHE", "", "a file, or off",
     "file in which heddle run remembers facts about programs and launchers (by default found.json in ~/.cache/heddle)",
     command_line},
    {"HEDDLE_PYTHON", "", "an interpreter", "the Python that runs the installed heddle command, instead of python3",
     command_line},
    {"HEDDLE_LIB_MPICH", "", "a file", "set by the module file: the library to preload under MPICH and its ABI family",
     command_line},
    {"HEDDLE_LIB_OPENMPI", "", "a file", "set by the module file: the library to preload under Open MPI", command_line},
    {"HEDDLE_LIB_ABI", "", "a file", "set by the module file: the library to preload under the MPI standard ABI", command_line},
    {"HEDDLE_MPI_PATH", "", "folders, separated by ':'",
     "more folders in which heddle looks for MPI installations (each with bin/mpiexec)", command_line},
};

}  // namespace

std::span<const Variable> table() { return rows; }

}  // namespace heddle::settings
