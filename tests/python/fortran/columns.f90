! columns.f90: sends non-contiguous data by all kinds of MPI calls in Fortran. Any number of ranks
! form a ring. Rank 0 prints "right", or the mistake. test_fortran.py compiles it for mpif.h,
! `use mpi` and `use mpi_f08`.
program columns
#if defined(OLD)
  implicit none
  include 'mpif.h'
#else
  use MODULE
  implicit none
#endif
  integer, parameter :: n = 512, dp = kind(1.0d0)
  real(dp) :: from(n, n), to(n, n), kept(n, n)
  COMM_TYPE :: ring
  DATATYPE :: row, element
  DATATYPE, allocatable :: types(:)
  REQUEST :: requests(2)
#if defined(F08)
  type(MPI_Status) :: status, statuses(2)
#else
  integer :: status(MPI_STATUS_SIZE), statuses(MPI_STATUS_SIZE, 2)
#endif
  integer :: me, ranks, left, right, error, count, i, j, wrong, all_wrong
  integer, allocatable :: sent(:), counts(:), places(:)
  logical :: done

  wrong = 0
  call MPI_Init(error)
  call MPI_Comm_dup(MPI_COMM_WORLD, ring, error)
  call MPI_Comm_rank(ring, me, error)
  call MPI_Comm_size(ring, ranks, error)
  left = modulo(me - 1, ranks)
  right = modulo(me + 1, ranks)

  ! A row of a matrix that is stored by columns. n rows are the transpose.
  call MPI_Type_vector(n, 1, n, MPI_DOUBLE_PRECISION, element, error)
  call MPI_Type_create_resized(element, 0_MPI_ADDRESS_KIND, 8_MPI_ADDRESS_KIND, row, error)
  call MPI_Type_commit(row, error)

  do j = 1, n
    do i = 1, n
      from(i, j) = value(me, i, j)
    end do
  end do

  ! 1  Blocking, into columns: the data arrive transposed.
  to = 0
  call MPI_Sendrecv(from, n, row, right, 1, to, n * n, MPI_DOUBLE_PRECISION, left, 1, ring, status, error)
  call MPI_Get_count(status, MPI_DOUBLE_PRECISION, count, error)
  call check('Sendrecv', count == n * n .and. transposed(left))

  ! 2  Non-blocking, from rows to rows, statuses ignored.
  to = 0
  call MPI_Irecv(to, n, row, left, 2, ring, requests(1), error)
  call MPI_Isend(from, n, row, right, 2, ring, requests(2), error)
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
  call check('Isend, Irecv, Waitall', all(to == reshape([((value(left, i, j), i = 1, n), j = 1, n)], [n, n])))

  ! 3  Persistent, started twice, completed by MPI_Test.
  call MPI_Recv_init(to, n * n, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, 3, ring, requests(1), error)
  call MPI_Send_init(from, n, row, right, 3, ring, requests(2), error)
  do i = 1, 2
    to = 0
    call MPI_Startall(2, requests, error)
    done = .false.
    do while (.not. done)
      call MPI_Testall(2, requests, done, statuses, error)
    end do
    call check('Startall, Testall', transposed(left))
  end do
  call MPI_Request_free(requests(1), error)
  call MPI_Request_free(requests(2), error)

  ! 4  Probed before the receive: the size is that of the data.
  to = 0
  call MPI_Isend(from, n, row, right, 4, ring, requests(1), error)
  call MPI_Probe(left, MPI_ANY_TAG, ring, status, error)
  call MPI_Get_count(status, MPI_DOUBLE_PRECISION, count, error)
  call MPI_Recv(to, n * n, MPI_DOUBLE_PRECISION, left, 4, ring, MPI_STATUS_IGNORE, error)
  call MPI_Wait(requests(1), MPI_STATUS_IGNORE, error)
  call check('Probe, Recv', count == n * n .and. transposed(left))

  ! 5  Collectives: rows to all ranks, to one neighbour, and in place.
  kept = from
  call MPI_Bcast(kept, n, row, 0, ring, error)
  call check('Bcast', all(kept == reshape([((value(0, i, j), i = 1, n), j = 1, n)], [n, n])))
  allocate (types(ranks), sent(ranks), counts(ranks), places(ranks))
  types = row
  places = 0
  sent = 0
  sent(right + 1) = n / 2
  counts = 0
  counts(left + 1) = n / 2
  to = 0
  call MPI_Alltoallw(from, sent, places, types, to, counts, places, types, ring, error)
  call check('Alltoallw', all(to(1:n / 2, :) == reshape([((value(left, i, j), i = 1, n / 2), j = 1, n)], [n / 2, n])))
  counts = n / ranks
  places = [((i - 1) * (n / ranks), i = 1, ranks)]
  to = 0
  to(places(me + 1) + 1:places(me + 1) + counts(1), :) = from(places(me + 1) + 1:places(me + 1) + counts(1), :)
  call MPI_Allgatherv(MPI_IN_PLACE, 0, row, to, counts, places, row, ring, error)
  do i = 1, ranks
    call check('Allgatherv', all([((to(places(i) + count, j) == value(i - 1, places(i) + count, j), count = 1, counts(1)), &
                                   j = 1, n)]))
  end do

  ! 6  A section of an array: only mpi_f08 can send it.
#if defined(F08)
  if (MPI_SUBARRAYS_SUPPORTED) then
    to = 0
    call MPI_Irecv(to(1:n:2, 1:n:2), (n / 2)**2, MPI_DOUBLE_PRECISION, left, 6, ring, requests(1), error)
    call MPI_Send(from(1:n:2, 1:n:2), (n / 2)**2, MPI_DOUBLE_PRECISION, right, 6, ring, error)
    call MPI_Wait(requests(1), status, error)
    call check('section', all(to(1:n:2, 1:n:2) == reshape([((value(left, i, j), i = 1, n, 2), j = 1, n, 2)], [n / 2, n / 2])))
  end if
#endif

  call MPI_Type_free(row, error)
  call MPI_Type_free(element, error)
  call MPI_Reduce(wrong, all_wrong, 1, MPI_INTEGER, MPI_SUM, 0, ring, error)
  if (me == 0 .and. all_wrong == 0) print '(a)', 'right'
  call MPI_Comm_free(ring, error)
  call MPI_Finalize(error)

contains

  pure real(dp) function value(rank, i, j)
    integer, intent(in) :: rank, i, j
    value = rank * 1d6 + i * 1d3 + j
  end function

  logical function transposed(rank)
    integer, intent(in) :: rank
    integer :: i, j
    transposed = .true.
    do j = 1, n
      do i = 1, n
        if (to(i, j) /= value(rank, j, i)) transposed = .false.
      end do
    end do
  end function

  subroutine check(what, right)
    character(*), intent(in) :: what
    logical, intent(in) :: right
    if (right) return
    print '(a, i0, 2a)', 'rank ', me, ': wrong after ', what
    wrong = wrong + 1
  end subroutine
end program
