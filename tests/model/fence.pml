/* fence.pml: accesses that wait for a fence (docs/one-sided.md, "Accesses in the fence"). spin
 * checks all interleavings.
 *
 * In each epoch, each rank defers a put to the next rank, or a get from it, or nothing. A target
 * may refuse the access, and the origin then gives it to the host. The host completes its
 * operations in its next fence, which is a barrier.
 *
 * Assertions show that all puts of an epoch are in place when the first rank returns from the
 * fence, and that an origin finds its answer. If the ranks disagreed about the number of the host's
 * fences, some of them would wait for ever.
 * Each BROKEN_ name takes one rule out. spin must then find an error (tests/model/CMakeLists.txt).
 */
#ifndef EPOCHS
#define EPOCHS 3
#endif
#define RANKS 3
#define NEXT(rank) ((rank + 1) % RANKS)
#define BEFORE(rank) ((rank + RANKS - 1) % RANKS)

mtype = { nothing, put, get };

byte fences[RANKS];    /* fences of the host that a rank has entered */
byte shown[RANKS];     /* the last epoch in which the rank has deferred an access */
mtype wanted[RANKS] = nothing;  /* that access */
byte refused[RANKS];   /* the last epoch in which the rank has refused the access to it */
byte answer[RANKS];    /* the epoch of the packed get in the rank's memory; 0: released */
byte cell[RANKS];      /* the epoch of the last put into the rank's window */

inline host_fence() {
  fences[me]++;
  fences[0] >= fences[me] && fences[1] >= fences[me] && fences[2] >= fences[me]
}

inline serve() {
  if
  :: shown[BEFORE(me)] == epoch ->
     if
     :: refused[me] = epoch
     :: wanted[BEFORE(me)] == put -> cell[me] = epoch
     :: wanted[BEFORE(me)] == get -> answer[me] = epoch
     fi
  :: else
  fi
}

inline collect() {
  if
  :: shown[me] != epoch
  :: shown[me] == epoch && refused[NEXT(me)] == epoch ->    /* by the host */
     if
     :: wanted[me] == put -> cell[NEXT(me)] = epoch
     :: else
     fi
  :: shown[me] == epoch && refused[NEXT(me)] != epoch -> assert(wanted[me] == put || answer[NEXT(me)] == epoch)
  fi
}

#ifdef BROKEN_EPOCH
#define SHOWN(rank) (shown[rank] >= epoch)
#else
#define SHOWN(rank) (shown[rank] == epoch)
#endif

proctype Rank(byte me) {
  byte epoch = 1;
  do
  :: epoch <= EPOCHS ->
     if
     :: skip
     :: atomic { wanted[me] = put; shown[me] = epoch }
     :: atomic { wanted[me] = get; shown[me] = epoch }
     fi;
     host_fence();
     if
     :: SHOWN(0) || SHOWN(1) || SHOWN(2) ->
        serve();
#ifndef BROKEN_SECOND
        host_fence();
#endif
        collect();
#ifndef BROKEN_THIRD
        host_fence();
#endif
        answer[me] = 0
     :: else
     fi;
     atomic {
       assert(shown[0] != epoch || wanted[0] != put || cell[1] == epoch);
       assert(shown[1] != epoch || wanted[1] != put || cell[2] == epoch);
       assert(shown[2] != epoch || wanted[2] != put || cell[0] == epoch)
     }
     epoch++
  :: else -> break
  od
}

init {
  atomic { run Rank(0); run Rank(1); run Rank(2) }
}
