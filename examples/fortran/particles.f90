! Particles as structs: each rank holds the particles of its slab of a periodic box, and passes on
! particles that leave.
!
!   mpif90 -O2 particles.f90 -o particles && mpiexec -n 2 ./particles [PARTICLES [STEPS]]      PARTICLES of a rank at first
!
! The type names the components that are sent: 61 of 88 bytes, right out of the array of structs and
! into it. The force is not sent, because the receiver computes it anew. Neither is the padding.
program particles
  use mpi_f08
  use iso_c_binding
  implicit none
  integer, parameter :: dp = c_double
  type, bind(c) :: Particle
    real(c_double) :: position(3), velocity(3), force(3), mass
    integer(c_int) :: id
    character(c_char) :: species
  end type
  type(Particle), allocatable :: p(:)
  type(Particle) :: leaves, expected
  type(MPI_Datatype) :: of_particles
  type(MPI_Status) :: status
  integer :: n, steps, rank, ranks, id, i, last, step, way, count, came, total(1), ends(0:1)
  logical :: wrong = .false.
  real(dp) :: begin, seconds(1) = 0, off

  call MPI_Init()
  n = argument(1, 100000)
  steps = argument(2, 100)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  ends = [modulo(rank - 1, ranks), modulo(rank + 1, ranks)]
  allocate(p(3 * n + 1000))
  of_particles = particle_type()

  count = 0
  do id = 0, n * ranks - 1
    p(count + 1) = made(id, 0)
    if (slab(p(count + 1)) == rank) count = count + 1
  end do

  do step = 1, steps
    do i = 1, count
      p(i)%position(1) = modulo(p(i)%position(1) + p(i)%velocity(1), 1d0)
    end do
    do way = 0, merge(1, -1, ranks > 1)  ! 0: to the left, 1: to the right
      i = 1
      last = count
      do while (i <= last)  ! particles that leave this way are swapped behind the others
        if (slab(p(i)) /= rank .and. (p(i)%velocity(1) > 0 .eqv. way == 1)) then
          leaves = p(i)
          p(i) = p(last)
          p(last) = leaves
          last = last - 1
        else
          i = i + 1
        end if
      end do
      begin = MPI_Wtime()
      call MPI_Sendrecv(p(last + 1:), count - last, of_particles, ends(way), way, &
                        p(count + 1:), size(p) - count, of_particles, ends(1 - way), way, MPI_COMM_WORLD, status)
      seconds = seconds + MPI_Wtime() - begin
      call MPI_Get_count(status, of_particles, came)
      p(last + 1:last + came) = p(count + 1:count + came)
      count = last + came
    end do
  end do

  ! Each particle must be in its place, and otherwise unchanged.
  do i = 1, count
    expected = made(p(i)%id, steps)
    off = abs(p(i)%position(1) - expected%position(1))
    wrong = wrong .or. slab(p(i)) /= rank .or. min(off, 1 - off) > 1d-9 .or. any(p(i)%position(2:) /= expected%position(2:)) &
      .or. any(p(i)%velocity /= expected%velocity) .or. p(i)%mass /= expected%mass .or. p(i)%species /= expected%species
  end do
  total = count
  call MPI_Allreduce(MPI_IN_PLACE, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  call MPI_Allreduce(MPI_IN_PLACE, wrong, 1, MPI_LOGICAL, MPI_LOR, MPI_COMM_WORLD)
  call MPI_Allreduce(MPI_IN_PLACE, seconds, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
  wrong = wrong .or. total(1) /= n * ranks
  if (rank == 0) print '(a, i0, a, i0, a, i0, a, f6.3, a)', 'particles: ', ranks, ' ranks, ', n, ' particles each, ', steps, &
    ' steps: ' // merge('wrong', 'right', wrong) // ', ', seconds, ' seconds'
  call MPI_Type_free(of_particles)
  call MPI_Finalize()
  if (wrong) error stop 1

contains
  type(MPI_Datatype) function particle_type()
    type(Particle) :: one
    type(MPI_Datatype) :: fields
    integer(MPI_ADDRESS_KIND) :: places(0:5)
    call MPI_Get_address(one, places(0))
    call MPI_Get_address(one%position, places(1))
    call MPI_Get_address(one%velocity, places(2))
    call MPI_Get_address(one%mass, places(3))
    call MPI_Get_address(one%id, places(4))
    call MPI_Get_address(one%species, places(5))
    call MPI_Type_create_struct(5, [3, 3, 1, 1, 1], places(1:) - places(0), &
      [MPI_DOUBLE_PRECISION, MPI_DOUBLE_PRECISION, MPI_DOUBLE_PRECISION, MPI_INTEGER, MPI_CHARACTER], fields)
    call MPI_Type_create_resized(fields, 0_MPI_ADDRESS_KIND, c_sizeof(one), particle_type)  ! one after another in an array
    call MPI_Type_commit(particle_type)
    call MPI_Type_free(fields)
  end function

  ! Particle `id` after so many steps. In a step it moves by up to half a slab, to the left or
  ! right, depending on its id.
  type(Particle) function made(id, steps)
    integer, intent(in) :: id, steps
    made%velocity = [(modulo(id * 0.7548776662466927d0, 1d0) - 0.5d0) / ranks, 0d0, 0d0]
    made%position = [modulo(modulo(id * 0.6180339887498949d0, 1d0) + steps * made%velocity(1), 1d0), dble(id), -dble(id)]
    made%force = 0
    made%mass = 1 + modulo(id, 7)
    made%id = id
    made%species = achar(iachar('a') + modulo(id, 26))
  end function

  integer function slab(one)
    type(Particle), intent(in) :: one
    slab = modulo(int(one%position(1) * ranks), ranks)
  end function

  integer function argument(at, otherwise)
    integer, intent(in) :: at, otherwise
    character(20) :: text
    call get_command_argument(at, text)
    argument = otherwise
    if (text /= '') read (text, *) argument
  end function
end program
