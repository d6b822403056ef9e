! Irregular gather: each rank owns a part of a vector, and in every step needs some entries of all
! parts. Sparse matrix-vector products and unstructured meshes do so.
!
!   mpif90 -O2 gather.f90 -o gather && mpiexec -n 2 ./gather [ENTRIES [STEPS]]      ENTRIES of a rank's part of the vector
!
! The ranks exchange their index lists once. From then on, an owner sends entries right out of its
! vector, by an MPI_Type_create_indexed_block. The receiver uses another to store them in the order
! of its own numbering.
program gather
  use mpi_f08
  implicit none
  integer, parameter :: dp = kind(1d0)
  integer, allocatable :: need(:, :), place(:, :), asked(:, :), one(:), zero(:)
  type(MPI_Datatype), allocatable :: send(:), receive(:)
  real(dp), allocatable :: x(:), ghost(:)
  integer :: n, steps, share, rank, ranks, other, i, step
  logical :: wrong = .false.
  real(dp) :: begin, seconds(1) = 0

  call MPI_Init()
  n = argument(1, 200000)
  steps = argument(2, 500)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  share = n / 10  ! a tenth of each part

  ! need: the entries that I need of each owner (ascending, from 0). place: their places among my
  ! ghosts (in any order).
  allocate(need(share, ranks), place(share, ranks), asked(share, ranks))
  do other = 1, ranks
    need(:, other) = [(10 * i + modulo((i + rank) * 7919 * other, 10), i = 0, share - 1)]
  end do
  place = reshape(shuffled(share * ranks), shape(place))
  call MPI_Alltoall(need, share, MPI_INTEGER, asked, share, MPI_INTEGER, MPI_COMM_WORLD)

  allocate(send(ranks), receive(ranks), one(ranks), zero(ranks))
  one = 1
  zero = 0
  do other = 1, ranks
    call MPI_Type_create_indexed_block(share, 1, asked(:, other), MPI_DOUBLE_PRECISION, send(other))
    call MPI_Type_create_indexed_block(share, 1, place(:, other), MPI_DOUBLE_PRECISION, receive(other))
    call MPI_Type_commit(send(other))
    call MPI_Type_commit(receive(other))
  end do

  allocate(x(0:n-1), ghost(0:share*ranks-1))
  call MPI_Barrier(MPI_COMM_WORLD)
  do step = 1, steps
    x = [(real(rank, dp) * n + i + step, i = 0, n - 1)]
    begin = MPI_Wtime()
    call MPI_Alltoallw(x, one, zero, send, ghost, one, zero, receive, MPI_COMM_WORLD)
    seconds = seconds + MPI_Wtime() - begin
    if (mod(step, 100) > 0 .and. step < steps) cycle
    do other = 1, ranks
      wrong = wrong .or. any(ghost(place(:, other)) /= (other - 1d0) * n + need(:, other) + step)
    end do
  end do

  call MPI_Allreduce(MPI_IN_PLACE, wrong, 1, MPI_LOGICAL, MPI_LOR, MPI_COMM_WORLD)
  call MPI_Allreduce(MPI_IN_PLACE, seconds, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
  if (rank == 0) print '(a, i0, a, i0, a, i0, a, f6.3, a)', 'gather: ', ranks, ' ranks, ', n, ' entries each, ', steps, &
    ' steps: ' // merge('wrong', 'right', wrong) // ', ', seconds, ' seconds'
  do other = 1, ranks
    call MPI_Type_free(send(other))
    call MPI_Type_free(receive(other))
  end do
  call MPI_Finalize()
  if (wrong) error stop 1

contains
  ! 0 … count - 1 in random order, by Fisher and Yates.
  function shuffled(count) result(order)
    integer, intent(in) :: count
    integer :: order(count), i, j, kept
    real :: random
    call random_init(.true., .false.)
    order = [(i, i = 0, count - 1)]
    do i = count, 2, -1
      call random_number(random)
      j = min(i, 1 + int(random * i))
      kept = order(i)
      order(i) = order(j)
      order(j) = kept
    end do
  end function

  integer function argument(at, otherwise)
    integer, intent(in) :: at, otherwise
    character(20) :: text
    call get_command_argument(at, text)
    argument = otherwise
    if (text /= '') read (text, *) argument
  end function
end program
