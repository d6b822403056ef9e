// mpi/host.hpp: the host MPI as Heddle sees it: its header, and every PMPI_ symbol that Heddle uses, all of them weak.
// Includes mpi.h, nothing of Heddle. Built once per ABI family: MPICH, Open MPI, the standard ABI.
//
// Why weak: the interposer is preloaded also into processes without MPI (launchers, shells), it must load under older
// releases that lack some of these (Open MPI 4.1, Intel MPI), and it must not drag in a second libmpi by DT_NEEDED.
#pragma once

#define MPICH_SKIP_MPICXX 1
#define OMPI_SKIP_MPICXX 1

#pragma GCC visibility push(default)
#include <mpi.h>
#pragma GCC visibility pop

#if defined(MPI_ABI_VERSION) && MPI_ABI_VERSION > 0  // Open MPI 6 defines it as -1: not that ABI
#define HEDDLE_FAMILY "the MPI standard ABI"
#define HEDDLE_FAMILY_ABI 1
#elif defined(OPEN_MPI)
#define HEDDLE_FAMILY "Open MPI"
#define HEDDLE_FAMILY_OPENMPI 1
#else
#define HEDDLE_FAMILY "MPICH"
#define HEDDLE_FAMILY_MPICH 1
#endif

/// 1 where the large-count (_c) procedures of MPI-4 are declared, by the header or here; the host may still lack them at run
/// time. And where the header knows MPI_Type_get_value_index.
#if MPI_VERSION >= 4
#define HEDDLE_LARGE_COUNTS 1
#define HEDDLE_VALUE_INDEX 1
#elif defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5
#define HEDDLE_LARGE_COUNTS 1
#define HEDDLE_VALUE_INDEX 0
#include "mpi/host_large_counts.hpp"
#else
#define HEDDLE_LARGE_COUNTS 0
#define HEDDLE_VALUE_INDEX 0
#endif

/// 1 where the header declares what MPI-4.0 brought to requests (MPI_Isendrecv, MPI_Comm_idup_with_info, persistent
/// collectives), Open MPI's ahead of its version number; and what MPI-4.1 did.
#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
#define HEDDLE_ISENDRECV 1
#define HEDDLE_PERSISTENT_COLLECTIVES 1
#else
#define HEDDLE_ISENDRECV 0
#define HEDDLE_PERSISTENT_COLLECTIVES 0
#endif
#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1) || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
#define HEDDLE_STATUS_OF_SEVERAL 1
#else
#define HEDDLE_STATUS_OF_SEVERAL 0
#endif

// Start, stop, who am I.
#pragma weak PMPI_Init
#pragma weak PMPI_Init_thread
#pragma weak PMPI_Initialized
#pragma weak PMPI_Finalized
#pragma weak PMPI_Query_thread
#pragma weak PMPI_Iprobe
#pragma weak PMPI_Finalize
#pragma weak PMPI_Session_init
#pragma weak PMPI_Session_finalize
#pragma weak PMPI_Get_library_version
#pragma weak PMPI_Comm_rank
#pragma weak PMPI_Comm_size
#pragma weak PMPI_Comm_remote_size
#pragma weak PMPI_Comm_test_inter
#pragma weak PMPI_Comm_call_errhandler
#pragma weak PMPI_Topo_test
#pragma weak PMPI_Comm_dup
#pragma weak PMPI_Comm_set_errhandler
#pragma weak PMPI_Comm_get_errhandler
#pragma weak PMPI_Errhandler_free
#pragma weak PMPI_Comm_create_errhandler
#pragma weak PMPI_Errhandler_create
#if !defined(HEDDLE_FAMILY_MPICH)  // other headers keep silent about what MPI-3.0 removed; the libraries have it
extern "C" int PMPI_Errhandler_create(MPI_Comm_errhandler_function* function, MPI_Errhandler* errhandler);
#endif
#pragma weak PMPI_Comm_free
#pragma weak PMPI_Comm_disconnect
#pragma weak PMPI_Comm_group
#pragma weak PMPI_Comm_remote_group
#pragma weak PMPI_Comm_create_keyval
#pragma weak PMPI_Comm_delete_attr
#pragma weak PMPI_Comm_free_keyval
#pragma weak PMPI_Comm_set_attr
#pragma weak PMPI_Comm_get_attr
#pragma weak PMPI_Group_translate_ranks
#pragma weak PMPI_Group_free
#pragma weak PMPI_Group_size
#pragma weak PMPI_Group_rank
#pragma weak PMPI_Allreduce
#pragma weak PMPI_Iallreduce
#pragma weak PMPI_Op_create
#pragma weak PMPI_Op_free
#pragma weak PMPI_Info_get
#pragma weak PMPI_Info_set
#pragma weak PMPI_Comm_set_info
#pragma weak PMPI_Comm_get_info
#pragma weak PMPI_Barrier
#pragma weak PMPI_Ibarrier
#pragma weak PMPI_Abort
#pragma weak PMPI_Cartdim_get
#pragma weak PMPI_Cart_get
#pragma weak PMPI_Cart_shift
#pragma weak PMPI_Graph_neighbors_count
#pragma weak PMPI_Graph_neighbors
#pragma weak PMPI_Dist_graph_neighbors
#pragma weak PMPI_Dist_graph_neighbors_count

// Communicators.
#pragma weak PMPI_Comm_dup_with_info
#pragma weak PMPI_Comm_idup
#if HEDDLE_ISENDRECV
#pragma weak PMPI_Comm_idup_with_info
#endif
#pragma weak PMPI_Comm_split
#pragma weak PMPI_Comm_split_type
#pragma weak PMPI_Comm_create
#pragma weak PMPI_Comm_create_group
#pragma weak PMPI_Comm_create_from_group
#pragma weak PMPI_Intercomm_create
#pragma weak PMPI_Intercomm_create_from_groups
#pragma weak PMPI_Intercomm_merge
#pragma weak PMPI_Cart_create
#pragma weak PMPI_Cart_sub
#pragma weak PMPI_Graph_create
#pragma weak PMPI_Dist_graph_create
#pragma weak PMPI_Dist_graph_create_adjacent

// Groups.
#pragma weak PMPI_Group_incl
#pragma weak PMPI_Group_excl
#pragma weak PMPI_Group_range_incl
#pragma weak PMPI_Group_range_excl
#pragma weak PMPI_Group_union
#pragma weak PMPI_Group_intersection
#pragma weak PMPI_Group_difference
#pragma weak PMPI_Group_from_session_pset
#pragma weak PMPI_Win_get_group
#pragma weak PMPI_File_get_group

// Datatypes.
#pragma weak PMPI_Type_commit
#pragma weak PMPI_Type_create_hindexed
#pragma weak PMPI_Type_create_struct
#pragma weak PMPI_Type_contiguous
#pragma weak PMPI_Type_dup
#pragma weak PMPI_Type_free
#pragma weak PMPI_Type_size_x
#pragma weak PMPI_Type_get_extent
#pragma weak PMPI_Type_get_true_extent
#pragma weak PMPI_Type_get_envelope
#pragma weak PMPI_Type_get_contents
#pragma weak PMPI_Type_create_keyval
#pragma weak PMPI_Type_free_keyval
#pragma weak PMPI_Type_set_attr
#pragma weak PMPI_Get_elements_x
#pragma weak PMPI_Status_set_elements_x
#pragma weak PMPI_Error_class
#pragma weak PMPI_Alloc_mem
#pragma weak PMPI_Free_mem

// The calls that are interposed.
#pragma weak PMPI_Pack
#pragma weak PMPI_Unpack
#pragma weak PMPI_Send
#pragma weak PMPI_Bsend
#pragma weak PMPI_Ssend
#pragma weak PMPI_Rsend
#pragma weak PMPI_Recv
#pragma weak PMPI_Probe
#pragma weak PMPI_Mprobe
#pragma weak PMPI_Improbe
#pragma weak PMPI_Test
#pragma weak PMPI_Status_set_cancelled
#pragma weak PMPI_Isend
#pragma weak PMPI_Issend
#pragma weak PMPI_Wait
#pragma weak PMPI_Mrecv
#pragma weak PMPI_Sendrecv
#pragma weak PMPI_Sendrecv_replace
#pragma weak PMPI_Bcast
#pragma weak PMPI_Gather
#pragma weak PMPI_Gatherv
#pragma weak PMPI_Scatter
#pragma weak PMPI_Scatterv
#pragma weak PMPI_Allgather
#pragma weak PMPI_Allgatherv
#pragma weak PMPI_Alltoall
#pragma weak PMPI_Alltoallv
#pragma weak PMPI_Alltoallw
#pragma weak PMPI_Neighbor_allgather
#pragma weak PMPI_Neighbor_allgatherv
#pragma weak PMPI_Neighbor_alltoall
#pragma weak PMPI_Neighbor_alltoallv
#pragma weak PMPI_Neighbor_alltoallw

// Requests.
#pragma weak PMPI_Waitall
#pragma weak PMPI_Waitany
#pragma weak PMPI_Waitsome
#pragma weak PMPI_Testall
#pragma weak PMPI_Testany
#pragma weak PMPI_Testsome
#pragma weak PMPI_Test_cancelled
#pragma weak PMPI_Grequest_start
#pragma weak PMPI_Grequest_complete
#pragma weak PMPI_Start
#pragma weak PMPI_Startall
#pragma weak PMPI_Cancel
#pragma weak PMPI_Request_free
#pragma weak PMPI_Request_get_status
#if HEDDLE_STATUS_OF_SEVERAL
#pragma weak PMPI_Request_get_status_all
#pragma weak PMPI_Request_get_status_any
#pragma weak PMPI_Request_get_status_some
#endif
#pragma weak PMPI_Ibsend
#pragma weak PMPI_Irsend
#pragma weak PMPI_Irecv
#pragma weak PMPI_Imrecv
#pragma weak PMPI_Send_init
#pragma weak PMPI_Bsend_init
#pragma weak PMPI_Ssend_init
#pragma weak PMPI_Rsend_init
#pragma weak PMPI_Recv_init
#pragma weak PMPI_Ibcast
#pragma weak PMPI_Igather
#pragma weak PMPI_Igatherv
#pragma weak PMPI_Iscatter
#pragma weak PMPI_Iscatterv
#pragma weak PMPI_Iallgather
#pragma weak PMPI_Iallgatherv
#pragma weak PMPI_Ialltoall
#pragma weak PMPI_Ialltoallv
#pragma weak PMPI_Ialltoallw
#pragma weak PMPI_Ineighbor_allgather
#pragma weak PMPI_Ineighbor_allgatherv
#pragma weak PMPI_Ineighbor_alltoall
#pragma weak PMPI_Ineighbor_alltoallv
#pragma weak PMPI_Ineighbor_alltoallw
#if HEDDLE_PERSISTENT_COLLECTIVES
#pragma weak PMPI_Bcast_init
#pragma weak PMPI_Gather_init
#pragma weak PMPI_Gatherv_init
#pragma weak PMPI_Scatter_init
#pragma weak PMPI_Scatterv_init
#pragma weak PMPI_Allgather_init
#pragma weak PMPI_Allgatherv_init
#pragma weak PMPI_Alltoall_init
#pragma weak PMPI_Alltoallv_init
#pragma weak PMPI_Alltoallw_init
#pragma weak PMPI_Neighbor_allgather_init
#pragma weak PMPI_Neighbor_allgatherv_init
#pragma weak PMPI_Neighbor_alltoall_init
#pragma weak PMPI_Neighbor_alltoallv_init
#pragma weak PMPI_Neighbor_alltoallw_init
#endif
#if HEDDLE_ISENDRECV
#pragma weak PMPI_Isendrecv
#pragma weak PMPI_Isendrecv_replace
#endif

#if HEDDLE_LARGE_COUNTS
#pragma weak PMPI_Type_get_envelope_c
#pragma weak PMPI_Type_get_contents_c
#pragma weak PMPI_Pack_c
#pragma weak PMPI_Unpack_c
#pragma weak PMPI_Send_c
#pragma weak PMPI_Bsend_c
#pragma weak PMPI_Ssend_c
#pragma weak PMPI_Rsend_c
#pragma weak PMPI_Recv_c
#pragma weak PMPI_Mrecv_c
#pragma weak PMPI_Sendrecv_c
#pragma weak PMPI_Sendrecv_replace_c
#pragma weak PMPI_Bcast_c
#pragma weak PMPI_Gather_c
#pragma weak PMPI_Gatherv_c
#pragma weak PMPI_Scatter_c
#pragma weak PMPI_Scatterv_c
#pragma weak PMPI_Allgather_c
#pragma weak PMPI_Allgatherv_c
#pragma weak PMPI_Alltoall_c
#pragma weak PMPI_Alltoallv_c
#pragma weak PMPI_Alltoallw_c
#pragma weak PMPI_Neighbor_allgather_c
#pragma weak PMPI_Neighbor_allgatherv_c
#pragma weak PMPI_Neighbor_alltoall_c
#pragma weak PMPI_Neighbor_alltoallv_c
#pragma weak PMPI_Neighbor_alltoallw_c
#pragma weak PMPI_Isend_c
#pragma weak PMPI_Ibsend_c
#pragma weak PMPI_Issend_c
#pragma weak PMPI_Irsend_c
#pragma weak PMPI_Irecv_c
#pragma weak PMPI_Imrecv_c
#pragma weak PMPI_Send_init_c
#pragma weak PMPI_Bsend_init_c
#pragma weak PMPI_Ssend_init_c
#pragma weak PMPI_Rsend_init_c
#pragma weak PMPI_Recv_init_c
#pragma weak PMPI_Ibcast_c
#pragma weak PMPI_Bcast_init_c
#pragma weak PMPI_Igather_c
#pragma weak PMPI_Gather_init_c
#pragma weak PMPI_Igatherv_c
#pragma weak PMPI_Gatherv_init_c
#pragma weak PMPI_Iscatter_c
#pragma weak PMPI_Scatter_init_c
#pragma weak PMPI_Iscatterv_c
#pragma weak PMPI_Scatterv_init_c
#pragma weak PMPI_Iallgather_c
#pragma weak PMPI_Allgather_init_c
#pragma weak PMPI_Iallgatherv_c
#pragma weak PMPI_Allgatherv_init_c
#pragma weak PMPI_Ialltoall_c
#pragma weak PMPI_Alltoall_init_c
#pragma weak PMPI_Ialltoallv_c
#pragma weak PMPI_Alltoallv_init_c
#pragma weak PMPI_Ialltoallw_c
#pragma weak PMPI_Alltoallw_init_c
#pragma weak PMPI_Ineighbor_allgather_c
#pragma weak PMPI_Neighbor_allgather_init_c
#pragma weak PMPI_Ineighbor_allgatherv_c
#pragma weak PMPI_Neighbor_allgatherv_init_c
#pragma weak PMPI_Ineighbor_alltoall_c
#pragma weak PMPI_Neighbor_alltoall_init_c
#pragma weak PMPI_Ineighbor_alltoallv_c
#pragma weak PMPI_Neighbor_alltoallv_init_c
#pragma weak PMPI_Ineighbor_alltoallw_c
#pragma weak PMPI_Neighbor_alltoallw_init_c
#pragma weak PMPI_Isendrecv_c
#pragma weak PMPI_Isendrecv_replace_c
#endif

#if HEDDLE_FAMILY_OPENMPI
// Open MPI's predefined handles are addresses of data.
#pragma weak ompi_mpi_comm_world
#pragma weak ompi_mpi_group_empty
#pragma weak ompi_mpi_comm_null
#pragma weak ompi_mpi_comm_self
#pragma weak ompi_mpi_errors_are_fatal
#pragma weak ompi_mpi_errors_return
#pragma weak ompi_mpi_errhandler_null
#pragma weak ompi_mpi_group_null
#pragma weak ompi_mpi_info_null
#pragma weak ompi_mpi_op_null
#pragma weak ompi_mpi_op_min
#pragma weak ompi_mpi_op_max
#pragma weak ompi_mpi_op_band
#pragma weak ompi_mpi_unsigned
#pragma weak ompi_request_null
#pragma weak ompi_message_null
#pragma weak ompi_message_no_proc
#pragma weak ompi_mpi_byte
#pragma weak ompi_mpi_datatype_null
#pragma weak ompi_mpi_short
#pragma weak ompi_mpi_int
#pragma weak ompi_mpi_long
#pragma weak ompi_mpi_float
#pragma weak ompi_mpi_double
#pragma weak ompi_mpi_long_double
#pragma weak ompi_mpi_real
#pragma weak ompi_mpi_dblprec
#pragma weak ompi_mpi_integer
#pragma weak ompi_mpi_2int
#pragma weak ompi_mpi_2real
#pragma weak ompi_mpi_2dblprec
#pragma weak ompi_mpi_2integer
#pragma weak ompi_mpi_short_int
#pragma weak ompi_mpi_long_int
#pragma weak ompi_mpi_float_int
#pragma weak ompi_mpi_double_int
#pragma weak ompi_mpi_longdbl_int
#endif
