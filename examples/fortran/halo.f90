! Halo exchange: each rank smooths its box of a periodic 3-D grid. Before every step it fetches the
! ghost cells around the box.
!
!   mpif90 -O2 halo.f90 -o halo && mpiexec -n 2 ./halo [CELLS [STEPS]]      CELLS along each side of a rank's box
!
! A face is an MPI_Type_create_subarray of the array: the program copies nothing. The faces in x
! consist of single reals, CELLS + 2 reals apart. The faces in y consist of columns. The faces in z
! are planes.
program halo
  use mpi_f08
  implicit none
  integer, parameter :: dp = kind(1d0)
  real(dp), allocatable, asynchronous :: u(:, :, :), next(:, :, :)
  type(MPI_Comm) :: grid
  type(MPI_Datatype) :: inner(3, 0:1), ghost(3, 0:1)
  type(MPI_Request) :: requests(12)
  integer :: n, steps, rank, ranks, axis, end, step, pending, x, y, z, dims(3) = 0, me(3), neighbour(3, 0:1)
  logical :: wrong
  real(dp) :: wave(3), factor(3), begin, seconds, worst(1)

  call MPI_Init()
  n = argument(1, 48)
  steps = argument(2, 2000)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call MPI_Dims_create(ranks, 3, dims)
  call MPI_Cart_create(MPI_COMM_WORLD, 3, dims, [.true., .true., .true.], .false., grid)
  call MPI_Comm_rank(grid, rank)
  call MPI_Cart_coords(grid, rank, 3, me)

  do axis = 1, 3
    call MPI_Cart_shift(grid, axis - 1, 1, neighbour(axis, 0), neighbour(axis, 1))
    do end = 0, 1
      inner(axis, end) = face(axis, merge(n, 1, end == 1))
      ghost(axis, end) = face(axis, merge(n + 1, 0, end == 1))
    end do
  end do

  ! The grid begins as a sum of cosines. The mean of six neighbours scales each cosine, so the
  ! answer is known.
  allocate(u(0:n+1, 0:n+1, 0:n+1), next(0:n+1, 0:n+1, 0:n+1))
  wave = 2 * acos(-1d0) / (dims * n)
  do concurrent(x = 1:n, y = 1:n, z = 1:n)
    u(x, y, z) = cosine(1, x) + cosine(2, y) + cosine(3, z)
  end do

  call MPI_Barrier(grid)
  begin = MPI_Wtime()
  do step = 1, steps
    pending = 0
    do axis = 1, 3
      do end = 0, 1  ! a face leaves at one end and arrives at the other: the tag names the first
        pending = pending + 1
        call MPI_Irecv(u, 1, ghost(axis, end), neighbour(axis, end), 2 * axis + 1 - end, grid, requests(pending))
      end do
    end do
    do axis = 1, 3
      do end = 0, 1
        pending = pending + 1
        call MPI_Isend(u, 1, inner(axis, end), neighbour(axis, end), 2 * axis + end, grid, requests(pending))
      end do
    end do
    call MPI_Waitall(pending, requests, MPI_STATUSES_IGNORE)

    do z = 1, n
      do y = 1, n
        do x = 1, n
          next(x, y, z) = (u(x-1, y, z) + u(x+1, y, z) + u(x, y-1, z) + u(x, y+1, z) + u(x, y, z-1) + u(x, y, z+1)) / 6
        end do
      end do
    end do
    call swap(u, next)
  end do
  seconds = MPI_Wtime() - begin

  factor = ((2 + cos(wave)) / 3) ** steps
  worst = 0
  do z = 1, n
    do y = 1, n
      do x = 1, n
        worst = max(worst, abs(u(x, y, z) - factor(1) * cosine(1, x) - factor(2) * cosine(2, y) - factor(3) * cosine(3, z)))
      end do
    end do
  end do
  call MPI_Allreduce(MPI_IN_PLACE, worst, 1, MPI_DOUBLE_PRECISION, MPI_MAX, grid)
  wrong = .not. worst(1) < 1d-9
  if (rank == 0) print '(a, i0, a, i0, a, i0, a, f6.3, a)', 'halo: ', ranks, ' ranks, ', n, '^3 cells each, ', steps, &
    ' steps: ' // merge('wrong', 'right', wrong) // ', ', seconds, ' seconds'
  do axis = 1, 3
    do end = 0, 1
      call MPI_Type_free(inner(axis, end))
      call MPI_Type_free(ghost(axis, end))
    end do
  end do
  call MPI_Comm_free(grid)
  call MPI_Finalize()
  if (wrong) error stop 1

contains
  ! The layer of cells where coordinate `axis` is `layer`.
  type(MPI_Datatype) function face(axis, layer) result(type)
    integer, intent(in) :: axis, layer
    integer :: part(3), start(3)
    part = n
    start = 1
    part(axis) = 1
    start(axis) = layer
    call MPI_Type_create_subarray(3, [n + 2, n + 2, n + 2], part, start, MPI_ORDER_FORTRAN, MPI_DOUBLE_PRECISION, type)
    call MPI_Type_commit(type)
  end function

  pure real(dp) function cosine(axis, i)
    integer, intent(in) :: axis, i
    cosine = cos(wave(axis) * (me(axis) * n + i - 1))
  end function

  subroutine swap(a, b)
    real(dp), allocatable, asynchronous, intent(inout) :: a(:, :, :), b(:, :, :)
    real(dp), allocatable :: kept(:, :, :)
    call move_alloc(a, kept)
    call move_alloc(b, a)
    call move_alloc(kept, b)
  end subroutine

  integer function argument(at, otherwise)
    integer, intent(in) :: at, otherwise
    character(20) :: text
    call get_command_argument(at, text)
    argument = otherwise
    if (text /= '') read (text, *) argument
  end function
end program
