------------------------------- MODULE Crash -------------------------------
(***************************************************************************)
(* Two clients that write files, of which one is killed, and calls whose   *)
(* reply is lost.                                                          *)
(* Sources: outputstream.md, "Syncable", "Concurrency", "Consistency and   *)
(* Visibility"; leaserecoverable.md; introduction.md, "Atomicity";         *)
(* filesystem.md.                                                          *)
(*                                                                         *)
(* A call whose reply is lost takes effect once, at any time from then on, *)
(* or never; append and create do so in steps, and may stop after each.    *)
(* What the streams of the client that was killed had shown is there       *)
(* still; of the rest each beginning may be. Where a store promises one    *)
(* writer at a time the file stays open until its lease is recovered;      *)
(* elsewhere it is closed at once, or not.                                 *)
(*                                                                         *)
(* What is told of a behaviour are its calls with what they returned, and  *)
(* the end of the client: a history. Steps that nobody is told of are      *)
(* `late`, or begin a call during which one may come.                      *)
(***************************************************************************)
EXTENDS Paths

CONSTANTS
    \* @type: Set(Str);
    Chunks,
    \* @type: Int;
    MaxLength,
    \* @type: Bool;
    SupportsAppend,
    \* @type: Bool;
    SupportsStrictExceptions,
    \* @type: Bool;
    SupportsSymlinks,
    \* @type: Bool;
    CreateOverwritesDirectory,
    \* @type: Bool;
    CreateFileUnderFileAllowed,
    \* @type: Bool;
    NonRecursiveMakesParents,
    \* @type: Bool;
    RenameCreatesDestDirs,
    \* @type: Bool;
    RenameOverwritesDest,
    \* @type: Bool;
    RenameRemoveDestIfEmptyDir,
    \* @type: Bool;
    RenameReturnsFalseIfDestExists,
    \* @type: Bool;
    RenameReturnsFalseIfSourceMissing,
    \* @type: Bool;
    RenameReturnsFalseOnFailure,
    \* @type: Bool;
    RefusesPathsBelowFiles,
    \* @type: Bool;
    SupportsHflush,
    \* @type: Bool;
    SupportsHsync,
    \* @type: Bool;
    CreateVisibilityDelayed,
    \* @type: Bool;
    MetadataUpdatedOnHsync,
    \* @type: Bool;
    ExclusiveWriter,
    \* A seeded fault, to prove that the properties find one; "" for none.
    \* @type: Str;
    Fault,
    \* The calls that clients make, by the names of operations.
    \* @type: Set(Str);
    Operations,
    \* What there may be at f in the beginning: 0 for nothing, else one more than the chunks of a file. There is nothing at g.
    \* @type: Set(Int);
    Beginnings,
    \* How many replies are lost, and how many calls are made that write a file whole, at most.
    \* @type: Int;
    MaxLost,
    \* @type: Int;
    MaxWhole,
    \* Whether a client may be killed.
    \* @type: Bool;
    Kills

\* @typeAlias: stream = { phase: Str, path: Str, content: Seq(Str), least: Int, synced: Int, appends: Bool, before: Seq(Seq(Str)), shown: Bool };
\* @typeAlias: call = { client: Int, op: Str, path: Str, how: Str };
\* @typeAlias: begun = { call: $call, at: Str, file: Seq(Seq(Str)) };
\* @typeAlias: world = { files: Str -> Seq(Seq(Str)), streams: Str -> $stream, hands: Int -> Str, dead: Bool, late: Seq($begun), under: Seq($begun), lost: Int, whole: Int, cut: Int };
\* @typeAlias: outcome = { call: $call, res: Str, read: Seq(Str), len: Int, out: Bool, to: $world };
Crash_aliases == TRUE

VARIABLES
    \* Of each path <<>> where nothing is, and otherwise the one sequence of chunks that the file holds.
    \* @type: Str -> Seq(Seq(Str));
    files,
    \* `least`: bytes that everybody sees by now; `before`: the file when the stream was opened. Only one that is open has more
    \* than its phase. Nothing is known any more of a stream that is "gone".
    \* @type: Str -> $stream;
    streams,
    \* Whether a client has its stream: "none" yet, it "has", or it "never" will, as it was not told of it.
    \* @type: Int -> Str;
    hands,
    \* @type: Bool;
    dead,
    \* The calls whose reply was lost, as long as they may still take effect.
    \* @type: Seq($begun);
    late,
    \* The call that is under way while one of them does.
    \* @type: Seq($begun);
    under,
    \* @type: Int;
    lost,
    \* @type: Int;
    whole,
    \* How many of those raised because another recovered the lease meanwhile: what they wrote may be there.
    \* @type: Int;
    cut,
    \* @type: { client: Int, op: Str, path: Str, how: Str, res: Str, read: Seq(Str), len: Int };
    act

world == <<files, streams, hands, dead, late, under, lost, whole, cut>>
vars == <<files, streams, hands, dead, late, under, lost, whole, cut, act>>

Places == {"f", "g"}
Clients == {1, 2}
Missing == <<>>

\* The streams of the two clients, of a call whose reply was lost, and of one that is under way.
Names4 == {"s", "t", "u", "v"}
StreamOf(cl) == IF cl = 1 THEN "s" ELSE "t"

\* What each client writes to its stream, and what a call writes that writes a file whole.
DataOf(cl) == IF cl = 1 THEN <<"x">> ELSE <<"y">>
Whole == <<"z">>

\* @type: () => { op: Str, path: Seq(Str), dst: Seq(Str), data: Seq(Str), flag: Bool, res: Str, dev: Bool, seen: Set(<<Str, Str, Int>>), read: Seq(Str) };
NoAct == [op |-> "", path |-> Root, dst |-> Root, data |-> <<>>, flag |-> FALSE, res |-> "", dev |-> FALSE, seen |-> {}, read |-> <<>>]

\* @type: () => Seq(Str) -> Seq(Str);
Tree == [q \in { <<p>> : p \in { one \in Places : files[one] # Missing } } |-> files[q[1]][1]]

FS == INSTANCE Namespace WITH dirs <- {Root}, files <- Tree, links <- [q \in {} |-> Root], act <- NoAct

IOErrors == FS!IOErrors
Errors == FS!Errors
Relaxed == FS!Relaxed
Unsupported == IF SupportsAppend THEN {} ELSE IOErrors

\* @type: Set(Seq(Str)) => Set(Seq(Str));
Longer(S) == { Append(c, x) : c \in S, x \in {"x", "y", "z"} }

\* Files of up to three chunks.
\* @type: () => Set(Seq(Str));
Contents ==
    LET C1 == IF MaxLength >= 1 THEN Longer({<<>>}) ELSE {} IN
    LET C2 == IF MaxLength >= 2 THEN Longer(C1) ELSE {} IN
    LET C3 == IF MaxLength >= 3 THEN Longer(C2) ELSE {} IN
    {<<>>} \union C1 \union C2 \union C3

\* @type: (Int, Int) => Set(Int);
From(low, high) == { n \in 0 .. MaxLength : low <= n /\ n <= high }

(* --------------------------------------------------------------- streams *)

\* @type: (Str) => $stream;
Ended(phase) ==
    [phase |-> phase, path |-> "", content |-> <<>>, least |-> 0, synced |-> 0, appends |-> FALSE, before |-> Missing, shown |-> FALSE]

\* Who writes to a path.
\* @type: (Str) => Set(Str);
Writing(p) == { s \in Names4 : streams[s].phase = "open" /\ streams[s].path = p }

\* A new file can stay unseen until hflush, hsync or close.
Hidden(s) == CreateVisibilityDelayed /\ ~streams[s].shown

\* What there may be at a path for whoever looks.
\* @type: (Str) => Set(Seq(Seq(Str)));
Views(p) ==
    IF Writing(p) = {} THEN {files[p]}
    ELSE UNION {
        { <<SubSeq(streams[s].content, 1, n)>> : n \in From(streams[s].least, Len(streams[s].content)) }
        \union (IF Hidden(s) THEN {streams[s].before} ELSE {})
        : s \in Writing(p) }

\* The metadata can be behind the bytes, but by no more than this.
\* @type: (Str) => Int;
Shortest(s) ==
    LET one == streams[s]
        synced == IF MetadataUpdatedOnHsync THEN one.synced ELSE 0
        held == IF one.appends THEN Len(one.before[1]) ELSE 0
    IN IF synced > held THEN synced ELSE held

\* @type: (Str) => Set(Int);
Lengths(p) ==
    IF Writing(p) = {} THEN { Len(one[1]) : one \in {files[p]} \ {Missing} }
    ELSE UNION {
        From(Shortest(s), Len(streams[s].content))
        \union (IF Hidden(s) THEN { Len(one[1]) : one \in {streams[s].before} \ {Missing} } ELSE {})
        : s \in Writing(p) }

(* -------------------------------------------------------------- outcomes *)

\* @type: () => $world;
Here ==
    [files |-> files, streams |-> streams, hands |-> hands, dead |-> dead, late |-> late, under |-> under, lost |-> lost,
     whole |-> whole, cut |-> cut]

\* @type: (Int, Str, Str, Str) => $call;
Call(cl, op, p, how) == [client |-> cl, op |-> op, path |-> p, how |-> how]

\* `out` leads to where nothing is defined: the module ends there.
\* @type: ($call, Str, $world) => $outcome;
Done(c, res, w) == [call |-> c, res |-> res, read |-> <<>>, len |-> 0, out |-> FALSE, to |-> w]

Outside(c, res) == [Done(c, res, Here) EXCEPT !.out = TRUE]

\* @type: ($call, Set(Str)) => Set($outcome);
Stays(c, results) == { Done(c, r, Here) : r \in results }

\* A failed precondition SHOULD NOT be told by a RuntimeException; who does all the same has not done anything either.
Refused(c, results) == Stays(c, results \union FS!RuntimeErrors)

\* @type: (Str, Str, Str) => $world;
Begun(s, p, mode) ==
    LET appends == mode = "append"
        held == IF appends THEN files[p][1] ELSE <<>>
    IN [Here EXCEPT !.files[p] = <<held>>,
            !.streams[s] = [phase |-> "open", path |-> p, content |-> held, least |-> Len(held), synced |-> 0,
                            appends |-> appends, before |-> files[p], shown |-> FALSE]]

\* A file is opened to be written by a stream. What comes of two who write to it nothing defines; where a store promises
\* one writer at a time the other is refused.
\* @type: ($call, Str, Str, Str) => Set($outcome);
Opens(c, s, p, mode) ==
    CASE Writing(p) # {} ->
            Stays(c, Errors)
            \union (IF ExclusiveWriter \/ (mode = "create" /\ ~CreateVisibilityDelayed) THEN {} ELSE { Outside(c, "ok") })
      [] Writing(p) = {} /\ mode = "append" ->
            IF files[p] = Missing THEN Refused(c, {FS!FNF} \union Relaxed \union Unsupported)
            ELSE IF SupportsAppend THEN { Done(c, "ok", Begun(s, p, mode)) }
            ELSE Refused(c, IOErrors)
      \* outputstream.object-store.create.late-check
      [] Writing(p) = {} /\ mode = "create" /\ files[p] # Missing ->
            Refused(c, {FS!FAE} \union Relaxed) \union (IF CreateVisibilityDelayed THEN { Outside(c, "ok") } ELSE {})
      [] OTHER -> { Done(c, "ok", Begun(s, p, mode)) }

\* Nothing is known of what a stream does whose file was closed by others.
OfGone(c) == Stays(c, Errors \union {"ok"})

Written(s, data) == [Here EXCEPT !.streams[s].content = @ \o data]

Write(c, s) ==
    CASE streams[s].phase = "open" -> { Done(c, "ok", Written(s, DataOf(c.client))) }
      [] streams[s].phase = "closed" -> Stays(c, IOErrors)
      [] OTHER -> OfGone(c)

Synced(s, how) ==
    LET length == Len(streams[s].content) IN
    [Here EXCEPT !.streams[s].least = length, !.streams[s].shown = TRUE,
                 !.streams[s].synced = IF how = "hsync" THEN length ELSE @]

Sync(c, s) ==
    LET supported == IF c.how = "hflush" THEN SupportsHflush ELSE SupportsHsync
        none == IF supported THEN {} ELSE Stays(c, {FS!UOE, "ok"})
    IN
    CASE streams[s].phase = "open" -> IF supported THEN { Done(c, "ok", Synced(s, c.how)) } ELSE none
      [] streams[s].phase = "closed" -> Stays(c, IOErrors) \union none
      [] OTHER -> OfGone(c)

\* A stream ends, and its file is this from then on.
\* @type: (Str, Str, Seq(Seq(Str))) => $world;
Settled(s, phase, file) == [Here EXCEPT !.files[streams[s].path] = file, !.streams[s] = Ended(phase)]

Close(c, s) ==
    CASE streams[s].phase = "open" -> { Done(c, "ok", Settled(s, "closed", <<streams[s].content>>)) }
      [] streams[s].phase = "closed" -> Stays(c, {"ok"})
      [] OTHER -> OfGone(c)

\* What a file may hold whose stream came to no end of its own: what was shown is there.
\* @type: (Str) => Set(Seq(Seq(Str)));
Left(s) ==
    LET least == IF Fault = "what was flushed is lost with its client" THEN 0 ELSE streams[s].least IN
    { <<SubSeq(streams[s].content, 1, n)>> : n \in From(least, Len(streams[s].content)) }

\* leaserecoverable.recoverLease.post.recovery: whoever held the lease, the file is closed then.
Recover(c, p) ==
    CASE Writing(p) # {} ->
            IF Fault = "a lease is never recovered" THEN Stays(c, {"recovered"})
            ELSE UNION { { Done(c, r, Settled(s, "gone", file)) : r \in {"recovered", "already"}, file \in Left(s) } : s \in Writing(p) }
      [] Writing(p) = {} /\ files[p] # Missing -> Stays(c, {"already"})
      \* The document is silent on it.
      [] OTHER -> Stays(c, IOErrors \union {"recovered", "already", "never"})

\* A rename and a delete of what is being written is refused, or leads to where nothing is defined.
Disturbs(c) == Stays(c, Errors) \union { Outside(c, r) : r \in {"true", "false"} }

\* @type: ($call, { res: Str, dev: Bool, out: Bool, seen: Set(<<Str, Str, Int>>), read: Seq(Str), dirs: Set(Seq(Str)), files: Seq(Str) -> Seq(Str), links: Seq(Str) -> Seq(Str) }) => $outcome;
FromFS(c, o) ==
    IF o.out THEN Outside(c, o.res)
    ELSE Done(c, o.res, [Here EXCEPT !.files = [p \in Places |-> IF <<p>> \in DOMAIN o.files THEN <<o.files[<<p>>]>> ELSE Missing]])

Rename(c) ==
    IF Writing("f") \union Writing("g") # {} THEN Disturbs(c)
    ELSE { FromFS(c, o) : o \in FS!Outcomes(FS!Call("rename", <<"f">>, <<"g">>, <<>>, FALSE)) }
        \union (IF Fault = "a rename may stop half way" /\ files["f"] # Missing /\ files["g"] = Missing
                THEN { Done(c, "true", [Here EXCEPT !.files["g"] = files["f"]]) } ELSE {})

Delete(c) ==
    IF Writing(c.path) # {} THEN Disturbs(c)
    ELSE { FromFS(c, o) : o \in FS!Outcomes(FS!Call("delete", <<c.path>>, Root, <<>>, FALSE)) }

ModeOf(c) == IF c.op = "open" THEN c.how ELSE c.op

\* append and create as one call: a file is opened, written and closed. Where another writes, whatever it answers may
\* come of that.
WritesWhole(c) ==
    UNION {
        IF o.out THEN { Outside(c, r) : r \in Errors \union {"ok"} }
        ELSE IF o.res # "ok" THEN {o}
        ELSE { Done(c, "ok", [Here EXCEPT !.files[c.path] = <<o.to.streams["v"].content \o Whole>>]) }
        : o \in Opens(c, "v", c.path, ModeOf(c)) }

Unseen(c, results) == IF Missing \notin Views(c.path) THEN {} ELSE Refused(c, results)

Read(c) == { [Done(c, "read", Here) EXCEPT !.read = one[1]] : one \in Views(c.path) \ {Missing} } \union Unseen(c, IOErrors)

Status(c) == { [Done(c, "status", Here) EXCEPT !.len = n] : n \in Lengths(c.path) } \union Unseen(c, {FS!FNF})

\* All that is allowed of a call that takes effect in one step.
\* @type: ($call) => Set($outcome);
Outcomes(c) ==
    CASE c.op = "open" -> Opens(c, StreamOf(c.client), c.path, c.how)
      [] c.op = "write" -> Write(c, StreamOf(c.client))
      [] c.op = "sync" -> Sync(c, StreamOf(c.client))
      [] c.op = "close" -> Close(c, StreamOf(c.client))
      [] c.op \in {"append", "create"} -> WritesWhole(c)
      [] c.op = "rename" -> Rename(c)
      [] c.op = "delete" -> Delete(c)
      [] c.op = "recover" -> Recover(c, c.path)
      [] c.op = "read" -> Read(c)
      [] OTHER -> Status(c)

(* ----------------------------------------------------------------- calls *)

Looks == {"read", "status"}

\* A client opens its stream once, and calls on it once it has been given one.
\* @type: (Int) => Set($call);
CallsOf(cl) ==
    { c \in
        (IF hands[cl] = "none"
         THEN { Call(cl, "open", IF cl = 1 THEN "f" ELSE "g", mode) : mode \in {"create", "append"} } ELSE {})
        \union (IF hands[cl] = "has"
                THEN {Call(cl, "write", "", ""), Call(cl, "sync", "", "hflush"), Call(cl, "sync", "", "hsync"), Call(cl, "close", "", "")}
                ELSE {})
        \union (IF whole < MaxWhole THEN { Call(cl, op, "f", "") : op \in {"append", "create"} } ELSE {})
        \union {Call(cl, "rename", "f", "g")}
        \union { Call(cl, "delete", "f", "") }
        \union (IF cl = 2 THEN { Call(cl, op, p, "") : op \in Looks \union {"recover"}, p \in Places } ELSE {})
      : c.op \in Operations }

\* @type: () => Set($call);
Calls == IF under # <<>> THEN {} ELSE UNION { CallsOf(cl) : cl \in { one \in Clients : one = 2 \/ ~dead } }

\* What a client knows once its call has returned, or once it knows that it will not.
\* @type: ($outcome) => $outcome;
Heard(o) ==
    LET c == o.call
        hand == IF c.op = "open" /\ o.res = "ok" THEN "has" ELSE IF c.op = "open" /\ o.res = "lost" THEN "never" ELSE hands[c.client]
        more == IF c.op \in {"append", "create"} /\ o.res \in {"ok", "lost"} THEN 1 ELSE 0
    IN [o EXCEPT !.to.hands[c.client] = hand, !.to.whole = @ + more]

\* @type: ($call) => Set($outcome);
Answers(c) ==
    { Heard(o) : o \in Outcomes(c) }
    \union (IF lost < MaxLost /\ c.op \notin Looks
            THEN { Heard(Done(c, "lost", [Here EXCEPT !.lost = @ + 1, !.late = Append(@, [call |-> c, at |-> "", file |-> Missing])])) }
            ELSE {})

(* ------------------------------------------------- steps nobody is told of *)

Silent == Call(0, "", "", "")

\* @type: (Int) => Seq($begun);
Without(n) == [m \in 1 .. Len(late) - 1 |-> IF m < n THEN late[m] ELSE late[m + 1]]

\* A call whose reply was lost takes effect, or takes its next step; by which of its outcomes nobody knows.
\* @type: (Int) => Set($outcome);
TakesEffect(n) ==
    LET b == late[n]
        c == b.call
        u == "u"
    IN
    IF c.op \in {"append", "create"}
    THEN CASE b.at = "" -> { [o EXCEPT !.to.late[n].at = "opened"] : o \in { one \in Opens(c, u, c.path, ModeOf(c)) : one.res = "ok" } }
           [] b.at = "opened" /\ streams[u].phase = "open" -> { Done(c, "", [Written(u, Whole) EXCEPT !.late[n].at = "written"]) }
           [] b.at = "written" /\ streams[u].phase = "open" ->
                { Done(c, "", [Settled(u, "none", <<streams[u].content>>) EXCEPT
                        !.late = IF Fault = "an append is done twice" THEN [@ EXCEPT ![n].at = ""] ELSE Without(n)]) }
           [] OTHER -> {}
    ELSE { [o EXCEPT !.to.late = Without(n)] : o \in { one \in Outcomes(c) : one.out \/ one.to # Here } }

\* Another's late call may come between the steps of append, create and read. Where it leads to what nothing defines
\* whatever the call under way returns may come of that.
\* @type: () => Set($outcome);
Lates ==
    UNION {
        UNION {
            IF o.out /\ under # <<>> THEN { Outside(under[1].call, r) : r \in Errors \union {"ok"} }
            ELSE IF o.out THEN { Outside(Silent, "") }
            ELSE { [o EXCEPT !.call = Silent, !.res = ""] }
            : o \in TakesEffect(n) }
        : n \in DOMAIN late }

\* @type: ($call, Str, $world) => $outcome;
Under(c, at, w) == Done(Silent, "", [w EXCEPT !.under = <<[call |-> c, at |-> at, file |-> files[c.path]]>>])

\* Only then is it told apart from one that is done at once.
\* @type: () => Set($outcome);
Begins ==
    IF late = <<>> THEN {}
    ELSE UNION {
        CASE c.op \in {"append", "create"} ->
                { Under(c, "opened", o.to) : o \in { one \in Opens(c, "v", c.path, ModeOf(c)) : one.res = "ok" /\ ~one.out } }
          [] c.op = "read" -> IF files[c.path] # Missing THEN { Under(c, "opened", Here) } ELSE {}
          [] OTHER -> {}
        : c \in Calls }

\* A file that was read while it changed gives old bytes, new ones, some of each, or an error.
\* @type: ($begun) => Set($outcome);
ReadsOn(b) ==
    LET c == b.call
        now == files[c.path]
        to == [Here EXCEPT !.under = <<>>]
    IN
    IF now = b.file THEN {}
    ELSE { [Done(c, "read", to) EXCEPT !.read = d] : d \in IF now # Missing THEN Contents ELSE {b.file[1]} }
        \union { Done(c, r, to) : r \in IOErrors \ (IF now # Missing THEN {FS!FNF} ELSE {}) }

\* @type: () => Set($outcome);
Goes ==
    IF under = <<>> THEN {}
    ELSE LET b == under[1]
             c == b.call
         IN
         IF c.op = "read" THEN ReadsOn(b)
         \* A lease that was recovered meanwhile closed its file.
         ELSE IF streams["v"].phase # "open"
         THEN { Heard(Done(c, r, [Here EXCEPT !.streams["v"] = Ended("none"), !.under = <<>>,
                                            !.cut = IF r = "ok" THEN @ ELSE @ + 1])) : r \in Errors \union {"ok"} }
         ELSE IF b.at = "opened" THEN { Done(Silent, "", [Written("v", Whole) EXCEPT !.under[1].at = "written"]) }
         ELSE { Heard(Done(c, "ok", [Settled("v", "none", <<streams["v"].content>>) EXCEPT !.under = <<>>])) }

(* ------------------------------------------------------ the end of a client *)

Killed == Call(1, "killed", "", "")

\* The streams that the client leaves open: its own, and that of its call that was cut short.
Orphans ==
    { s \in {"s", "u"} : streams[s].phase = "open" /\
        (s = "u" => \E n \in DOMAIN late : late[n].call.client = 1 /\ late[n].call.op \in {"append", "create"}) }

\* @type: () => Set($outcome);
Ends ==
    IF ~Kills \/ dead \/ under # <<>> THEN {}
    ELSE LET now == [Here EXCEPT !.dead = TRUE]
             \* @type: (Str) => Set(Seq(Seq(Str)));
             Ways(s) == Left(s) \union (IF Hidden(s) THEN {streams[s].before} ELSE {})
         IN
         { Done(Killed, "", now) }
         \union (IF ExclusiveWriter \/ Orphans = {} THEN {}
                 ELSE { Done(Killed, "", [now EXCEPT
                            !.files = [p \in Places |-> IF \E s \in Orphans : streams[s].path = p
                                                        THEN left[CHOOSE s \in Orphans : streams[s].path = p] ELSE @[p]],
                            !.streams = [s \in Names4 |-> IF s \in Orphans THEN Ended("gone") ELSE @[s]]])
                        : left \in { chosen \in [Orphans -> UNION { Ways(s) : s \in Orphans }] : \A s \in Orphans : chosen[s] \in Ways(s) } })

(* ----------------------------------------------------------------- steps *)

\* Everything that may happen next.
\* @type: () => Set($outcome);
Steps == UNION { Answers(c) : c \in Calls } \union Lates \union Begins \union Goes \union Ends

\* The finite model has no longer files.
\* @type: $outcome => Bool;
InBounds(o) ==
    /\ \A s \in Names4 : Len(o.to.streams[s].content) <= MaxLength
    /\ \A p \in Places : o.to.files[p] # Missing => Len(o.to.files[p][1]) <= MaxLength

Init ==
    /\ \E n \in Beginnings : files = [p \in Places |-> IF p = "f" /\ n > 0 THEN <<[m \in 1 .. n - 1 |-> "z"]>> ELSE Missing]
    /\ streams = [s \in Names4 |-> Ended("none")]
    /\ hands = [cl \in Clients |-> "none"]
    /\ dead = FALSE
    /\ late = <<>>
    /\ under = <<>>
    /\ lost = 0
    /\ whole = 0
    /\ cut = 0
    /\ act = [client |-> 0, op |-> "init", path |-> "", how |-> "", res |-> "", read |-> <<>>, len |-> 0]

\* @type: $outcome => Bool;
Step(o) ==
    /\ ~o.out
    /\ InBounds(o)
    /\ files' = o.to.files
    /\ streams' = o.to.streams
    /\ hands' = o.to.hands
    /\ dead' = o.to.dead
    /\ late' = o.to.late
    /\ under' = o.to.under
    /\ lost' = o.to.lost
    /\ whole' = o.to.whole
    /\ cut' = o.to.cut
    /\ act' = [client |-> o.call.client, op |-> o.call.op, path |-> o.call.path, how |-> o.call.how, res |-> o.res,
               read |-> o.read, len |-> o.len]

Next == \E o \in Steps : Step(o)

Spec == Init /\ [][Next]_vars

CrashView == world

(* ------------------------------------------------------------ invariants *)

TypeOK ==
    /\ \A p \in Places : files[p] = Missing \/ files[p][1] \in Contents
    /\ \A s \in Names4 : streams[s].phase \in {"none", "open", "closed", "gone"} /\ streams[s].content \in Contents
    /\ Len(late) <= lost

\* outputstream.concurrent.writers: no two write to one path where a store promises that; what else comes of it nothing defines.
OneWriter == \A p \in Places : Cardinality(Writing(p)) <= 1

Count(c) == Cardinality({ n \in DOMAIN c : c[n] = "z" })
HeldBy(p) == IF Writing(p) # {} THEN UNION { {streams[s].content} : s \in Writing(p) } ELSE { one[1] : one \in {files[p]} \ {Missing} }

\* introduction: a call takes effect once, though its reply be lost.
OnceAtMost == \A p \in Places : \A c \in HeldBy(p) : Count(c) <= whole + Len(under) + cut

(* ----------------------------------------------------- safety of actions *)

\* outputstream.sync.post.visible: what hflush or hsync made visible stays, whoever is killed, until the file is changed.
ShownStays ==
    [][\A s \in Names4 : streams[s].phase = "open" /\ streams'[s].phase # "open" =>
        LET p == streams[s].path IN
        streams[s].shown => files'[p] # Missing /\ Len(files'[p][1]) >= streams[s].least]_vars

\* leaserecoverable.recoverLease.post.recovery
RecoveryCloses ==
    [][act'.op = "recover" /\ act'.res \in {"recovered", "already"} =>
        { s \in Names4 : streams'[s].phase = "open" /\ streams'[s].path = act'.path } = {}]_vars

\* filesystem.rename.atomic: of a rename, whether it is heard of or not, all is seen or nothing.
RenamesWhole ==
    [][files'["g"] # files["g"] /\ files["g"] = Missing /\ files["f"] # Missing /\ files'["g"] = files["f"]
        /\ Writing("g") = {} /\ { s \in Names4 : streams'[s].phase = "open" /\ streams'[s].path = "g" } = {}
        => files'["f"] = Missing]_vars

\* filesystem.refused-changes-nothing
FailureIsNoOp == [][act'.res \in Errors /\ under = <<>> => UNCHANGED <<files, streams>>]_vars

QueriesChangeNothing == [][act'.op \in Looks => UNCHANGED <<files, streams>>]_vars
=============================================================================
