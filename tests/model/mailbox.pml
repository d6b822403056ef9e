/* mailbox.pml: the protocol of docs/mailbox.md with one sender and one reader. spin checks all
 * interleavings.
 *
 * A run chooses freely, for each call:
 *   - the sender has a short block (which it publishes), a long block (a message of the host), or
 *     none;
 *   - the reader has room for a short block, for a long block, or for none.
 * The two differ if the program makes a mistake, or if the reader has more room than it needs. A
 * short block in a call in which the reader expects nothing comes once at most. The reader does not
 * look for such blocks, so the sender of a third would wait for ever for room.
 *
 * Assertions, and the absence of invalid end states (a side waits for ever), show that:
 *   - each block is received exactly once, in its own call, whole;
 *   - an unexpected block is not taken for another block;
 *   - the reader does not read from the loaned slot after the slot has gone to another use;
 *   - both sides return, in finitely many steps.
 *
 * With -DIN_TURN: persistent exchanges of two ranks, in which no rank asks whether there is room.
 * Each BROKEN_ name takes one rule out. spin must then find an error (tests/model/CMakeLists.txt).
 */
#ifndef CALLS
#define CALLS 4
#endif
#ifndef SLOTS
#define SLOTS 2
#endif

#define HALF_FILLED 100
#define SOMEBODY_ELSES 101

typedef Slot { byte number; byte key; byte content }   /* content: the call that the bytes belong to */
typedef Mailbox { Slot slot[SLOTS]; byte consumed; byte expects; bool closed }

#ifndef IN_TURN

Mailbox box;
chan host = [CALLS] of { byte };  /* the host MPI: messages in order, each with the number of its call */

mtype = { unknown, equal_short, equal_long, more_room, too_long, unexpected, no_block };
mtype kind[CALLS + 1] = unknown;  /* of a call */
bool once;                        /* an unexpected block has come */

/* Only the checker sees this. */
byte received[CALLS + 1];

/* The first side that reaches a call chooses its kind. */
inline decide(call) {
  atomic {
    if
    :: kind[call] == unknown ->
       if
       :: kind[call] = equal_short
       :: kind[call] = equal_long
       :: kind[call] = more_room                            /* a short block where a message is expected */
       :: kind[call] = too_long                             /* a message where a short block is expected */
       :: !once -> kind[call] = unexpected; once = true
       :: kind[call] = no_block
       fi
    :: else
    fi
  }
}
#define SENDS_SHORT (kind[call] == equal_short || kind[call] == more_room || kind[call] == unexpected)
#define SENDS_LONG (kind[call] == equal_long || kind[call] == too_long)
#define EXPECTS_SHORT (kind[call] == equal_short || kind[call] == too_long)
#define EXPECTS_LONG (kind[call] == equal_long || kind[call] == more_room)

#define NEXT ((last + 1) % SLOTS)

/* --------------------------------------------------------------------------------------- sender */

inline fill(s) {
  box.slot[s].content = HALF_FILLED;
  box.slot[s].content = call
}

proctype Sender() {
  byte call = 1, last;  /* number of the last message published */
  bool expected, won;

  do
  :: call <= CALLS ->
     decide(call);
     if
     :: SENDS_SHORT ->
#ifndef BROKEN_ROOM
        last < SLOTS || box.consumed >= last + 1 - SLOTS;     /* the slot's last message has been consumed */
#endif
#ifdef BROKEN_LOOK
        expected = (box.expects == call);
#endif
        box.slot[NEXT].key = call;
#ifdef BROKEN_PUBLISH
        box.slot[NEXT].number = last + 1;
        fill(NEXT);
#else
        fill(NEXT);
        box.slot[NEXT].number = last + 1;
#endif
        last++;
#ifndef BROKEN_LOOK
        expected = (box.expects == call);
#endif
        if
        :: expected ->
#ifdef BROKEN_RETRACT
           won = (box.slot[last % SLOTS].number == last);
           if :: won -> box.slot[last % SLOTS].number = 0 :: else fi;
#else
           d_step {
             won = (box.slot[last % SLOTS].number == last);
             if :: won -> box.slot[last % SLOTS].number = 0 :: else fi
           };
#endif
           if
           :: won -> atomic { won = false; last--; host ! call }
           :: else                                            /* the reader has been faster */
           fi
        :: else
        fi;
        expected = false
     :: SENDS_LONG -> host ! call
     :: else
     fi;
     call++
  :: else -> break
  od;
  /* The sender has no more use for the mailbox. The slot is free when the reader has closed. */
#ifndef BROKEN_FREE
  box.closed;
#endif
  atomic { box.slot[0].content = SOMEBODY_ELSES; box.slot[1 % SLOTS].content = SOMEBODY_ELSES }
}

/* --------------------------------------------------------------------------------------- reader */

/* The message belongs to the reader: it reads the first byte to the last, then consumes the
 * message. */
inline read_it() {
  assert(box.slot[last % SLOTS].content == call);
  assert(box.slot[last % SLOTS].content == call);
  received[call]++;
  box.consumed = last
}
inline receive_from_host() {
  atomic { host ? message; assert(message == call); message = 0; received[call]++ }
}
/* The message is of an earlier call, in which the reader expected nothing. */
inline drop() { last++; box.consumed = last }

proctype Reader() {
  byte call = 1, last, key, message;
  bool won;

  do
  :: call <= CALLS ->
     decide(call);
     if
     :: EXPECTS_SHORT ->
look:
        if
        :: box.slot[NEXT].number == last + 1
        :: nempty(host) ->                                    /* a probe, now and then; its message may be a later call's */
#ifdef BROKEN_PROBE
           receive_from_host(); goto next
#else
           if
           :: box.slot[NEXT].number == last + 1               /* it is a later call's: the block of this call came first */
           :: else -> receive_from_host(); goto next
           fi
#endif
        fi;
        key = box.slot[NEXT].key;
        if
        :: key > call -> receive_from_host()                  /* a later call's: a message is due now */
        :: key < call -> drop(); goto look
        :: key == call -> last++; read_it()
        fi
     :: EXPECTS_LONG ->
#ifndef BROKEN_ORDER
        box.expects = call;
#endif
        do
        :: box.slot[NEXT].number != last + 1 -> break
        :: else ->
           key = box.slot[NEXT].key;
           if
           :: key > call -> break
#ifdef BROKEN_DROP
           :: key < call -> break
#else
           :: key < call -> drop()
#endif
           :: key == call ->
              d_step {
                won = (box.slot[NEXT].number == last + 1);
                if :: won -> box.slot[NEXT].number = 0 :: else fi
              };
#ifndef BROKEN_AGAIN
              if
              :: won && box.slot[NEXT].key != call ->          /* retracted, and published again in the next call */
                 box.slot[NEXT].number = last + 1;
                 won = false
              :: else
              fi;
#endif
              break
           fi
        od;
#ifdef BROKEN_ORDER
        box.expects = call;
#endif
        if
        :: won -> won = false; last++; read_it()
        :: else -> receive_from_host()
        fi
     :: else
     fi;
next:
     key = 0;
     call++
  :: else -> break
  od;
  box.closed = true;
  assert(empty(host));
  call = 1;
  do
  :: call <= CALLS -> assert(received[call] == (kind[call] == unexpected || kind[call] == no_block -> 0 : 1)); call++
  :: else -> break
  od
}

init {
  atomic { run Sender(); run Reader() }
}

#else /* IN_TURN: at each start, each of two ranks publishes to the other, then reads the other's block. */

Mailbox from[2];

proctype Rank(byte me) {
  byte start;
  do
  :: start < CALLS ->
     start++;
#ifdef BROKEN_ONE_WAY
     if
     :: me == 0 ->
#endif
     from[me].slot[start % SLOTS].content = HALF_FILLED;
     from[me].slot[start % SLOTS].content = start;
     from[me].slot[start % SLOTS].number = start;
#ifdef BROKEN_ONE_WAY
     :: else ->
#endif
     from[1 - me].slot[start % SLOTS].number == start;
     assert(from[1 - me].slot[start % SLOTS].content == start);  /* the first byte */
     assert(from[1 - me].slot[start % SLOTS].content == start);  /* the last */
#ifdef BROKEN_ONE_WAY
     fi
#endif
  :: else -> break
  od
}

init {
  atomic { run Rank(0); run Rank(1) }
}

#endif
