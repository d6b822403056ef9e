/* claims.pml: the protocol of docs/protocol.md with one sender and one receiver. spin checks all
 * interleavings.
 *
 * A run chooses freely:
 *   - when the receiver comes: at once, never, or only after the sender has returned from all calls
 *     (head-to-head sends);
 *   - whether the receiver can pull straight from the sender's memory;
 *   - for each message, whether the sender packs all of it or leaves it open;
 *   - for each open message, whether the sender then sits in a native barrier, cancels, or waits;
 *   - whether the receiver claims from the front, in any order, or not at all;
 *   - whether it gives back cells that it cannot pull;
 *   - the order in which the receiver takes messages;
 *   - whether the message is longer than the receiver's buffer.
 *
 * Assertions, and the absence of invalid end states (a side waits for ever), show that:
 *   - every segment is moved exactly once, but no segment of a cancelled message;
 *   - a slot keeps its bytes while the receiver reads them, from the first to the last;
 *   - packing never lacks a slot;
 *   - the program's buffer is not given back while the receiver pulls from it;
 *   - a control block serves one message until all its cells are done;
 *   - both sides return, in finitely many steps; in the end all slots, reservations and control
 *     blocks are back.
 *
 * Each BROKEN_ name takes one rule out. spin must then find an error (tests/model/CMakeLists.txt).
 */
#ifndef MESSAGES
#define MESSAGES 2
#endif
#ifndef SEGMENTS
#define SEGMENTS 3
#endif
#ifndef SLOTS
#define SLOTS 3
#endif
#ifndef BLOCKS
#define BLOCKS 2
#endif

#define NOBODY 100  /* no message, no block */
#define RESERVED 101
#define RETURNED 102

mtype = { open, packing, packed, taken, done };
mtype = { at_once, late, absent };

/* The sender's node memory: control blocks and slots. */
typedef Control { byte generation; mtype state[SEGMENTS]; byte place[SEGMENTS] }
typedef Slot { byte message; byte segment }
Control block[BLOCKS];
Slot slot[SLOTS];

/* The host MPI has a tag for each message. A native message has the block NOBODY. */
typedef Envelope { chan with = [1] of { byte, byte, bool } }
Envelope host[MESSAGES];

mtype comes;            /* when the receiver comes */
/* The receiver can pull everything without the sender. Both know since MPI_Init. Else it may try,
 * and give back. */
bool alone;

/* Only the checker sees this. */
byte moved[MESSAGES * SEGMENTS];
bool cancelled[MESSAGES];
bool in_flight[MESSAGES];  /* the buffer belongs to the send, not to the program */
bool received[MESSAGES];
bool sender_returned, receiver_returned;
byte withdrawn;            /* cancelled messages, for which the receiver need not wait */

inline note_moved(m, s) {
  assert(moved[m * SEGMENTS + s] == 0);
  moved[m * SEGMENTS + s]++
}

/* The compare-and-swap that the protocol rests on. */
inline claim(b, s, as, won) {
#ifdef BROKEN_CLAIM
  won = (block[b].state[s] == open);
  if :: won -> block[b].state[s] = as :: else fi
#else
  d_step { won = (block[b].state[s] == open); if :: won -> block[b].state[s] = as :: else fi }
#endif
}

/* --------------------------------------------------------------------------------------- sender */

/* The sender's own books: a stack of free slots, the slots that it has promised, and each cell's
 * slot. */
byte free_slot[SLOTS], free_slots, reserved;
byte held[BLOCKS * SEGMENTS], user[BLOCKS], cells_out[BLOCKS];

#ifdef BROKEN_RECLAIM
#define IS_DONE(b, s) (block[b].state[s] == done || block[b].state[s] == packed)
#else
#define IS_DONE(b, s) (block[b].state[s] == done)
#endif

/* The sender's own Wait must still find its cells: a block is free only when its send is complete,
 * too. */
#ifdef BROKEN_REQUEST
#define REQUEST_IS_OVER(b) true
#else
#define REQUEST_IS_OVER(b) !in_flight[user[b]]
#endif

/* Looks at the cells of a block, one after the other. Takes back the slots of cells that are done,
 * at last the block itself. */
inline reclaim(b, s) {
  s = 0;
  do
  :: user[b] != NOBODY && s < SEGMENTS ->
     d_step {
       if
       :: held[b * SEGMENTS + s] != RETURNED && IS_DONE(b, s) ->
          if
          :: held[b * SEGMENTS + s] == RESERVED -> reserved--
          :: else -> free_slot[free_slots] = held[b * SEGMENTS + s]; free_slots++
          fi;
          held[b * SEGMENTS + s] = RETURNED;
          cells_out[b]--
       :: else
       fi;
       s++
     }
  :: else -> break
  od;
  atomic {
    if
    :: user[b] != NOBODY && cells_out[b] == 0 && REQUEST_IS_OVER(b) -> user[b] = NOBODY
    :: else
    fi;
    s = 0
  }
}

inline reclaim_all(b, s) {
  b = 0;
  do
  :: b < BLOCKS -> reclaim(b, s); b++
  :: else -> b = 0; break
  od
}

/* Fills a cell that the sender has claimed. */
inline fill(m, b, s, t, p) {
  reclaim(b, t);                                              /* a pipelined message goes on in the slots that it has had */
  d_step { assert(free_slots > 0); free_slots--; p = free_slot[free_slots]; held[b * SEGMENTS + s] = p; reserved-- };
  slot[p].message = NOBODY;                                   /* half written */
  d_step { slot[p].message = m; slot[p].segment = s };
#ifdef BROKEN_PUBLISH
  block[b].state[s] = packed;
  block[b].place[s] = p;
#else
  block[b].place[s] = p;
  block[b].state[s] = packed;
#endif
  p = 0
}

inline pack(m, b, s, t, p, won) {
  claim(b, s, packing, won);
  if
  :: won -> fill(m, b, s, t, p); won = false
  :: else
  fi
}

/* Claims up to PORTION cells in a row, until the receiver has one of them. Then fills them. */
byte portion_end;
inline pack_portion(m, b, s, t, p, won) {
  portion_end = s;
  do
  :: portion_end < SEGMENTS && portion_end < s + PORTION ->
     claim(b, portion_end, packing, won);
     if
     :: won -> d_step { won = false; portion_end++ }
     :: else -> break
     fi
  :: else -> break
  od;
  if
  :: portion_end == s -> d_step { portion_end = 0; s++ }      /* it is the receiver's */
  :: else ->
     do
     :: s < portion_end -> fill(m, b, s, t, p); s++
     :: else -> portion_end = 0; break
     od
  fi
}

/* Packs the open cells, from the front, and also the cells that the receiver gives back. Then lets
 * the receiver finish the cells that it has taken. Then the buffer is free. */
inline settle(m, b, s, t, p, won) {
  s = 0;
  do
#ifdef PORTION
  :: s < SEGMENTS -> pack_portion(m, b, s, t, p, won)
#else
  :: s < SEGMENTS -> pack(m, b, s, t, p, won); s++
#endif
  :: else -> break
  od;
#ifndef BROKEN_LEAVE
  s = 0;
  do
  :: s < SEGMENTS ->
     block[b].state[s] != taken;
     if
#ifndef BROKEN_GIVE
     :: block[b].state[s] == open -> pack(m, b, s, t, p, won)
#endif
     :: else -> s++
     fi
  :: else -> break
  od;
#endif
  atomic { s = 0; in_flight[m] = false }
}

proctype Sender() {
  byte m, b, s, t, p;
  byte in[MESSAGES];
  bool won, left[MESSAGES];

  do
  :: m < MESSAGES ->
     in_flight[m] = true;
     reclaim_all(b, s);
     atomic {
       b = 0;
       do
       :: b < BLOCKS && user[b] != NOBODY -> b++
       :: else -> break
       od;
#ifdef BROKEN_RESERVE
       if :: b < BLOCKS && free_slots > 0 -> reserved = reserved + SEGMENTS
#else
       if :: b < BLOCKS && free_slots - reserved >= SEGMENTS -> reserved = reserved + SEGMENTS
#endif
          :: else -> b = NOBODY
       fi
     };
     in[m] = b;
     if
     :: b == NOBODY ->                                        /* no room: packed, natively */
        host[m].with ! NOBODY, 0, false;
        in_flight[m] = false
     :: else ->
        d_step {                                              /* nobody knows of the block yet */
          user[b] = m; cells_out[b] = SEGMENTS; block[b].generation++;
          s = 0;
          do
          :: s < SEGMENTS -> block[b].state[s] = open; held[b * SEGMENTS + s] = RESERVED; s++
          :: else -> break
          od;
          s = 0
        };
        if
        :: true ->                                            /* MPI_Send, or an Isend that is not left open */
           if
           :: host[m].with ! b, block[b].generation, true     /* the receiver may claim, */
           :: host[m].with ! b, block[b].generation, false    /* or is only to unpack */
           fi;
           settle(m, b, s, t, p, won)
#ifdef BROKEN_OPEN
        :: true ->
#else
        :: alone ->
#endif
           host[m].with ! b, block[b].generation, true;
           left[m] = true
        fi
     fi;
     d_step { b = 0; m++ }
  :: else -> break
  od;

  m = 0;
  do
  :: m < MESSAGES ->
     if
     :: left[m] ->
        if
        :: comes == at_once -> received[m]                    /* a native barrier, which the receiver enters later */
        :: true
        fi;
        b = in[m];
        if
        :: true ->                                            /* MPI_Cancel: the host decides */
#ifdef BROKEN_CANCEL
           atomic { cancelled[m] = true; withdrawn++; s = 0; won = true };
#else
           atomic {
             if
             :: host[m].with ? _, _, _ -> cancelled[m] = true; withdrawn++; won = true
             :: empty(host[m].with)
             fi
           };
#endif
           if
           :: won ->                                          /* nobody has the descriptor: the cells are ours */
              d_step {
                do
                :: s < SEGMENTS -> block[b].state[s] = done; s++
                :: else -> s = 0; won = false; in_flight[m] = false; break
                od
              }
           :: else -> settle(m, b, s, t, p, won)
           fi
#ifdef BROKEN_GRACE
        :: true -> received[m]; in_flight[m] = false          /* waits as long as it takes */
#else
        :: settle(m, b, s, t, p, won)                         /* MPI_Wait, at any time: the grace is over */
#endif
        fi
     :: else
     fi;
     m++
  :: else -> break
  od;
  sender_returned = true;

  if
  :: comes == absent
  :: else ->
     receiver_returned;
     reclaim_all(b, s);
     assert(reserved == 0 && free_slots == SLOTS);
     d_step {
       b = 0;
       do :: b < BLOCKS -> assert(user[b] == NOBODY); b++ :: else -> break od;
       m = 0;
       do
       :: m < MESSAGES * SEGMENTS -> assert(moved[m] == (cancelled[m / SEGMENTS] -> 0 : 1)); m++
       :: else -> break
       od
     }
  fi
}

/* ------------------------------------------------------------------------------------- receiver */

/* The receiver reads a cell's slot or the sender's buffer, then says done. Cells that do not fit
 * into its buffer (truncation) are only marked done. */
inline unpack(m, b, s, p, fits) {
  d_step { assert(block[b].generation == generation); p = block[b].place[s] };
  if
  :: s < fits ->
     assert(slot[p].message == m && slot[p].segment == s);    /* the first byte */
     assert(slot[p].message == m && slot[p].segment == s)     /* the last */
  :: else
  fi;
  d_step { p = 0; note_moved(m, s) };
  block[b].state[s] = done
}
inline pull(m, b, s, fits) {
  if
  :: s < fits -> assert(in_flight[m]); assert(in_flight[m])   /* the first byte, the last */
  :: else
  fi;
  d_step { assert(block[b].generation == generation); note_moved(m, s) };
  block[b].state[s] = done
}
/* A cell that cannot be pulled belongs to the sender again, which has not left. The receiver tries
 * no other cell. */
inline give_back(b, s) {
#ifdef BROKEN_PERSIST
  assert(block[b].generation == generation);
#else
  d_step { assert(block[b].generation == generation); may = false };
#endif
  block[b].state[s] = open
}
#define MAY_CLAIM(s) (may || s >= fits)
#define READY(s) (!mine[s] && (block[b].state[s] == packed || (block[b].state[s] == open && MAY_CLAIM(s))))

proctype Receiver() {
  byte m, b, s, p, generation, fits, messages, finished;
  bool won, may, mine[SEGMENTS];

  if
  :: comes == absent -> goto away
  :: comes == late -> sender_returned
  :: comes == at_once
  fi;
  do
  :: messages < MESSAGES ->
     if
     :: atomic { host[0].with ? b, generation, may -> m = 0 }
#if MESSAGES > 1
     :: atomic { host[1].with ? b, generation, may -> m = 1 }
#endif
#if MESSAGES > 2
     :: atomic { host[2].with ? b, generation, may -> m = 2 }
#endif
     :: d_step { withdrawn > 0 -> withdrawn-- } -> goto next
     fi;
     if
     :: b == NOBODY ->
        d_step { do :: s < SEGMENTS -> note_moved(m, s); s++ :: else -> s = 0; break od };
        goto whole
     :: else -> assert(user[b] == m && block[b].generation == generation)
     fi;
     if :: fits = SEGMENTS :: fits = 1 fi;

     if
     :: true ->                                               /* from the front: claims, or waits for the sender's packing */
        do
        :: s < SEGMENTS ->
#ifdef BROKEN_DRAIN
           if :: s == fits -> break :: else fi;
#endif
           READY(s);
           if
           :: block[b].state[s] == open -> claim(b, s, taken, won)
           :: else
           fi;
           if
           :: won && (alone || s >= fits) -> won = false; pull(m, b, s, fits); s++
           :: won && !alone && s < fits ->
              won = false;
              if
              :: pull(m, b, s, fits); s++
              :: give_back(b, s)
              fi
           :: !won && block[b].state[s] == packed -> unpack(m, b, s, p, fits); s++
           fi
        :: else -> break
        od
     :: may ->                                                /* both work: any cell that is open or packed */
        do
        :: finished < SEGMENTS ->
           if
           :: READY(0) -> s = 0
           :: READY(1) -> s = 1
#if SEGMENTS > 2
           :: READY(2) -> s = 2
#endif
           fi;
           if
           :: block[b].state[s] == packed -> unpack(m, b, s, p, fits); d_step { mine[s] = true; finished++ }
           :: else ->
              claim(b, s, taken, won);
              if
              :: won -> won = false; pull(m, b, s, fits); d_step { mine[s] = true; finished++ }
              :: won && !alone && s < fits -> won = false; give_back(b, s)
              :: else                                         /* the sender has been faster */
              fi
           fi
        :: else -> break
        od
     fi;
#ifdef BROKEN_LOOK
     assert(block[b].generation == generation);               /* a look at the block after the last cell is done */
#endif
     atomic {
       s = 0; finished = 0; fits = 0;
       do :: s < SEGMENTS -> mine[s] = false; s++ :: else -> s = 0; break od
     };
whole:
     atomic { b = 0; generation = 0; may = false; received[m] = true };
next:
     messages++
  :: else -> break
  od;
away:
  receiver_returned = true
}

init {
  byte blocks;
  atomic {
    if :: comes = at_once :: comes = late :: comes = absent fi;
    if :: alone = true :: alone = false fi;
    do :: free_slots < SLOTS -> free_slot[free_slots] = free_slots; free_slots++ :: else -> break od;
    do :: blocks < BLOCKS -> user[blocks] = NOBODY; blocks++ :: else -> break od;
    run Sender();
    run Receiver()
  }
}
