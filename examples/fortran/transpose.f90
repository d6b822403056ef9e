! Transpose of a matrix that is distributed by columns: rank r holds columns r·C + 1 … (r+1)·C, at
! the end of the transpose.
!
!   mpif90 -O2 transpose.f90 -o transpose && mpiexec -n 2 ./transpose [N [TIMES]]      N × N complex numbers; ranks divide N
!
! One MPI_Alltoall does all of it: the sender's datatype reads a block by columns, the receiver's
! stores it by rows.
program transposed
  use mpi_f08
  implicit none
  integer, parameter :: dp = kind(1d0)
  integer(MPI_ADDRESS_KIND), parameter :: bytes = 16, none = 0  ! bytes of a complex number
  complex(dp), allocatable :: a(:, :), b(:, :)
  type(MPI_Datatype) :: rectangle, block, line, row
  integer :: n, times, rank, ranks, columns, i, j, time
  logical :: wrong
  real(dp) :: begin, seconds(1)

  call MPI_Init()
  n = argument(1, 2048)
  times = argument(2, 20)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  columns = n / ranks
  if (columns * ranks /= n) error stop 'transpose: the number of ranks does not divide N'

  ! A block for one rank: `columns` numbers of each of my columns. The next block begins where this
  ! one's first column ends.
  call MPI_Type_vector(columns, columns, n, MPI_DOUBLE_COMPLEX, rectangle)
  call MPI_Type_create_resized(rectangle, none, columns * bytes, block)
  call MPI_Type_commit(block)
  call MPI_Type_free(rectangle)
  ! The receiver stores one row after another. The next row begins one number further down.
  call MPI_Type_vector(columns, 1, n, MPI_DOUBLE_COMPLEX, line)
  call MPI_Type_create_resized(line, none, bytes, row)
  call MPI_Type_commit(row)
  call MPI_Type_free(line)

  allocate(a(n, columns), b(n, columns))
  do j = 1, columns
    do i = 1, n
      a(i, j) = cmplx(i, rank * columns + j, dp)
    end do
  end do
  b = -1

  call MPI_Barrier(MPI_COMM_WORLD)
  begin = MPI_Wtime()
  do time = 1, times, 2  ! forth, and back
    call MPI_Alltoall(a, 1, block, b, columns, row, MPI_COMM_WORLD)
    if (time < times) call MPI_Alltoall(b, 1, block, a, columns, row, MPI_COMM_WORLD)
  end do
  seconds = MPI_Wtime() - begin

  if (mod(times, 2) == 0) b = a
  wrong = .false.
  do j = 1, columns
    do i = 1, n
      if (mod(times, 2) == 1) wrong = wrong .or. b(i, j) /= cmplx(rank * columns + j, i, dp)
      if (mod(times, 2) == 0) wrong = wrong .or. b(i, j) /= cmplx(i, rank * columns + j, dp)
    end do
  end do
  call MPI_Allreduce(MPI_IN_PLACE, wrong, 1, MPI_LOGICAL, MPI_LOR, MPI_COMM_WORLD)
  call MPI_Allreduce(MPI_IN_PLACE, seconds, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
  if (rank == 0) print '(a, i0, a, i0, a, i0, a, f6.3, a)', 'transpose: ', ranks, ' ranks, ', n, '^2 complex numbers, ', times, &
    ' times: ' // merge('wrong', 'right', wrong) // ', ', seconds, ' seconds'
  call MPI_Type_free(block)
  call MPI_Type_free(row)
  call MPI_Finalize()
  if (wrong) error stop 1

contains
  integer function argument(at, otherwise)
    integer, intent(in) :: at, otherwise
    character(20) :: text
    call get_command_argument(at, text)
    argument = otherwise
    if (text /= '') read (text, *) argument
  end function
end program
