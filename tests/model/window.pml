/* window.pml: the permission to access a target's memory directly (docs/one-sided.md). spin checks
 * all interleavings.
 *
 * Without START: epochs of MPI_Win_fence. In each epoch, one rank uses the cell of the target's
 * window:
 *   - the target itself, by stores and loads;
 *   - the origin, which stores directly, or leaves the store to the host;
 *   - a third rank, whose stores are the host's.
 * A fence is no barrier if nothing precedes it (MPI_MODE_NOPRECEDE). The host carries a store out
 * when the target has called the fence. It is complete at the target when the target comes back
 * from its next fence, but not when the origin does.
 *
 * With START: epochs of MPI_Win_post and MPI_Win_start. The target posts to one of two origins, or
 * to both. Each has a cell of its own.
 *
 * Assertions show that no two ranks use a cell at once, and that each load finds the latest store.
 * Each BROKEN_ name takes one rule out. spin must then find an error (tests/model/CMakeLists.txt).
 */
#ifndef EPOCHS
#define EPOCHS 3
#endif

#ifndef START

#define RANKS 3
#define TARGET 0
#define ORIGIN 1
#define THIRD 2

mtype = { unknown, nobody, target, origin, third };
mtype user[EPOCHS + 2] = unknown;  /* of the cell, in each epoch */

byte called[RANKS];       /* the number of the last fence that a rank has called */
byte fences;              /* the counter of the target: fences that it has come back from */
chan host = [EPOCHS] of { byte };  /* stores that the host has to carry out, by epoch */
byte left[EPOCHS + 1];    /* stores that the host has not carried out, by epoch */

byte cell;                /* the epoch of the latest store */
bool used;                /* a rank is at the cell */

/* The first rank that reaches an epoch chooses its user. */
inline decide(epoch) {
  atomic {
    if
    :: user[epoch] == unknown ->
       if
       :: user[epoch] = nobody
       :: user[epoch] = target
       :: user[epoch] = origin
       :: user[epoch] = third
       fi
    :: else
    fi
  }
}

inline store(epoch) {
  atomic { assert(!used); used = true };
  atomic { cell = epoch; used = false }
}

/* The host's MPI_Win_fence. `complete`: the condition under which earlier stores are complete at
 * this rank. */
inline fence(rank, epoch, complete) {
  called[rank] = epoch;
  decide(epoch - 1);
  if
  :: user[epoch - 1] == nobody || user[epoch - 1] == target   /* MPI_MODE_NOPRECEDE */
  :: else -> called[0] >= epoch && called[1] >= epoch && called[2] >= epoch && (complete)
  fi;
  decide(epoch)
}

proctype Target() {
  byte epoch = 1, latest;
  do
  :: epoch <= EPOCHS + 1 ->
#ifdef BROKEN_ENTER
     fences = epoch;                                          /* said before the host's fence is back */
     fence(TARGET, epoch, left[epoch - 1] == 0);
#else
     fence(TARGET, epoch, left[epoch - 1] == 0);
     fences = epoch;
#endif
     if
     :: user[epoch - 1] == origin || user[epoch - 1] == third || user[epoch - 1] == target -> latest = epoch - 1
     :: else
     fi;
     if
     :: user[epoch] == target && epoch <= EPOCHS ->
        atomic { assert(!used); used = true };
        atomic { assert(cell == latest); cell = epoch; used = false }
     :: else
     fi;
     epoch++
  :: else -> break
  od;
  assert(user[EPOCHS + 1] == target || cell == latest)
}

proctype Origin() {
  byte epoch = 1;
  do
  :: epoch <= EPOCHS + 1 ->
     fence(ORIGIN, epoch, true);
     if
     :: user[epoch] == origin && epoch <= EPOCHS ->
#ifdef BROKEN_EARLY
        store(epoch)
#else
        do
#ifdef BROKEN_NUMBER
        :: fences + 1 >= epoch -> store(epoch); break
#else
        :: fences >= epoch -> store(epoch); break
#endif
        :: atomic { fences < epoch -> left[epoch]++; host ! epoch; break }  /* it has waited long enough */
        od
#endif
     :: else
     fi;
     epoch++
  :: else -> break
  od
}

proctype Third() {
  byte epoch = 1;
  do
  :: epoch <= EPOCHS + 1 ->
     fence(THIRD, epoch, true);
     if
     :: user[epoch] == third && epoch <= EPOCHS -> atomic { left[epoch]++; host ! epoch }
     :: else
     fi;
     epoch++
  :: else -> break
  od
}

proctype Host() {
  byte epoch;
end:
  do
  :: atomic { host ? epoch -> called[TARGET] >= epoch };
     store(epoch);
     left[epoch]--
  od
}

init {
  atomic { user[0] = nobody; user[EPOCHS + 1] = nobody; run Target(); run Origin(); run Third(); run Host() }
}

#else

#define BOTH 2
bool group[EPOCHS * 2];     /* group[2 * epoch + origin]: the target's post of that epoch includes the origin */
byte posts[2], completes[2];  /* by origin */
bool used[2];
byte cell[2];

inline store(origin, value) {
  atomic { assert(!used[origin]); used[origin] = true };
  atomic { cell[origin] = value; used[origin] = false }
}

#ifdef BROKEN_SHARED
#define POSTED(origin) (posts[0] + posts[1])
#else
#define POSTED(origin) (posts[origin])
#endif

proctype Target() {
  byte epoch, to;
  do
  :: epoch < EPOCHS ->
     to = 0;
     do
     :: to < BOTH -> store(to, 0); to++                       /* the window is the target's own until its post */
     :: else -> break
     od;
     if
     :: group[2 * epoch] -> posts[0]++
     :: else
     fi;
     if
     :: group[2 * epoch + 1] -> posts[1]++
     :: else
     fi;
     completes[0] >= posts[0] && completes[1] >= posts[1];    /* MPI_Win_wait */
     to = 0;
     do
     :: to < BOTH ->
        atomic { assert(!used[to]); assert(cell[to] == (group[2 * epoch + to] -> posts[to] : 0)) };
        to++
     :: else -> break
     od;
     epoch++
  :: else -> break
  od
}

proctype Origin(byte me) {
  byte epoch, starts;
  do
  :: epoch < EPOCHS ->
     if
     :: group[2 * epoch + me] ->
        starts++;                                             /* the host's MPI_Win_start comes back at once */
#ifndef BROKEN_EARLY
        POSTED(me) >= starts;
#endif
        store(me, starts);
        completes[me]++
     :: else
     fi;
     epoch++
  :: else -> break
  od
}

init {
  byte i;
  do
  :: i < 2 * EPOCHS ->
     if
     :: group[i] = true
     :: group[i] = false
     fi;
     i++
  :: else -> break
  od;
  atomic { run Target(); run Origin(0); run Origin(1) }
}

#endif
