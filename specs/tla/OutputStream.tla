---------------------------- MODULE OutputStream ----------------------------
(***************************************************************************)
(* One path, and the streams that write to it one after another:           *)
(*   Stream = (path, open, buffer).                                        *)
(* Sources: outputstream.md; abortable.md; filesystem.md, create, append.  *)
(*                                                                         *)
(* A step is one call, on a stream or by somebody who looks at the path.   *)
(* Outcomes(call) is all that is allowed. `file` is what has been saved    *)
(* for certain; a stream may have saved more of its own accord, up to any  *)
(* place of its buffer. Where two streams write to the path nothing is     *)
(* defined: the module ends there. A SHOULD that is broken is `dev`.       *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets

CONSTANTS
    \* The streams by name; each is opened once at most.
    \* @type: Set(Str);
    Streams,
    \* What is written at a time: the names of single bytes.
    \* @type: Set(Str);
    Chunks,
    \* The longest file, in chunks.
    \* @type: Int;
    MaxLength,
    \* Options of the contract; adapters/stores/*/contract.xml have them under fs.contract.
    \* @type: Bool;
    SupportsAppend,
    \* @type: Bool;
    SupportsStrictExceptions,
    \* @type: Bool;
    SupportsHflush,
    \* @type: Bool;
    SupportsHsync,
    \* @type: Bool;
    CreateVisibilityDelayed,
    \* @type: Bool;
    MetadataUpdatedOnHsync,
    \* @type: Bool;
    ListedTimesDiffer,
    \* A seeded fault, to prove that the properties find one; "" for none.
    \* @type: Str;
    Fault

VARIABLES
    \* <<>> where there is no file, and otherwise the one sequence of chunks that it holds.
    \* @type: Seq(Seq(Str));
    file,
    \* `synced`: bytes when hsync last returned; `flushed`: bytes when hflush or hsync last did, -1 if none has;
    \* `before`: the file when the stream was opened. Only an open stream has more than its phase.
    \* @type: Str -> { phase: Str, content: Seq(Str), synced: Int, flushed: Int, appends: Bool, before: Seq(Seq(Str)) };
    streams,
    \* @type: { op: Str, stream: Str, how: Str, data: Seq(Str), res: Str, dev: Bool, facts: Set(Str), read: Seq(Str), len: Int };
    act

vars == <<file, streams, act>>

Missing == <<>>
Phases == {"none", "open", "closed", "aborted"}

\* @type: Set(Seq(Str)) => Set(Seq(Str));
Longer(S) == { Append(c, x) : c \in S, x \in Chunks }

\* Files of up to three chunks.
\* @type: () => Set(Seq(Str));
Contents ==
    LET C1 == IF MaxLength >= 1 THEN Longer({<<>>}) ELSE {} IN
    LET C2 == IF MaxLength >= 2 THEN Longer(C1) ELSE {} IN
    LET C3 == IF MaxLength >= 3 THEN Longer(C2) ELSE {} IN
    {<<>>} \union C1 \union C2 \union C3

Writes == { c \in Contents : Len(c) <= 1 }
Files == {Missing} \union { <<c>> : c \in Contents }

\* The numbers from one to another; no length is greater than the greatest of these.
\* @type: (Int, Int) => Set(Int);
From(low, high) == { n \in 0 .. MaxLength + 1 : low <= n /\ n <= high }

\* @type: (Seq(Str), Seq(Str)) => Bool;
IsPrefix(c, d) == Len(c) <= Len(d) /\ SubSeq(d, 1, Len(c)) = c

(* ---------------------------------------------------------------- errors *)

FNF == "FileNotFoundException"
FAE == "FileAlreadyExistsException"
IOE == "IOException"
UOE == "UnsupportedOperationException"

\* Who raises one of these raises an IOException.
IOErrors == {FNF, FAE, "ParentNotDirectoryException", IOE, "PathIsNotEmptyDirectoryException"}
RuntimeErrors == {UOE, "RuntimeException"}
Errors == IOErrors \union RuntimeErrors

\* Where errors need not be of the most precise class, any IOException will do.
Relaxed == IF SupportsStrictExceptions THEN {} ELSE IOErrors

(* --------------------------------------------------------------- streams *)

\* @type: (Str) => { phase: Str, content: Seq(Str), synced: Int, flushed: Int, appends: Bool, before: Seq(Seq(Str)) };
Ended(phase) == [phase |-> phase, content |-> <<>>, synced |-> 0, flushed |-> -1, appends |-> FALSE, before |-> Missing]

Writing == { s \in Streams : streams[s].phase = "open" }

\* A new file can stay unseen until hflush, hsync or close; what was there before is there meanwhile.
Hidden(s) == CreateVisibilityDelayed /\ streams[s].flushed < 0

\* So many chunks of an open stream are saved for certain, where the file is f.
\* @type: (Seq(Seq(Str)), { phase: Str, content: Seq(Str), synced: Int, flushed: Int, appends: Bool, before: Seq(Seq(Str)) }) => Int;
Saved(f, one) ==
    IF one.phase = "open" /\ (~CreateVisibilityDelayed \/ one.appends \/ one.flushed >= 0) THEN Len(f[1]) ELSE 0

\* What there may be at the path for whoever looks: <<>> for nothing.
\* @type: () => Set(Seq(Seq(Str)));
Views ==
    IF Writing = {} THEN {file}
    ELSE UNION {
        { <<SubSeq(streams[s].content, 1, n)>> : n \in From(Saved(file, streams[s]), Len(streams[s].content)) }
        \union (IF Hidden(s) \/ Fault = "the old file stays" THEN {streams[s].before} ELSE {})
        : s \in Writing }

\* The metadata can be behind the bytes, but by no more than this.
\* @type: (Str) => Int;
Shortest(s) ==
    LET one == streams[s]
        synced == IF MetadataUpdatedOnHsync /\ ~Hidden(s) THEN one.synced ELSE 0
        held == IF one.appends THEN Len(one.before[1]) ELSE 0
    IN IF synced > held THEN synced ELSE held

\* The lengths that a status may give; none is ahead of the bytes.
\* @type: () => Set(Int);
Lengths ==
    IF Writing = {} THEN { Len(one[1]) : one \in {file} \ {Missing} }
    ELSE UNION {
        From(Shortest(s), Len(streams[s].content) + IF Fault = "the length runs ahead" THEN 1 ELSE 0)
        \union (IF Hidden(s) THEN { Len(one[1]) : one \in {streams[s].before} \ {Missing} } ELSE {})
        : s \in Writing }

(* -------------------------------------------------------------- outcomes *)

\* `out` leads to where nothing is defined: the module ends there.
\* @type: (Str, Seq(Seq(Str)), Str -> { phase: Str, content: Seq(Str), synced: Int, flushed: Int, appends: Bool, before: Seq(Seq(Str)) }) => { res: Str, dev: Bool, out: Bool, facts: Set(Str), read: Seq(Str), len: Int, file: Seq(Seq(Str)), streams: Str -> { phase: Str, content: Seq(Str), synced: Int, flushed: Int, appends: Bool, before: Seq(Seq(Str)) } };
Done(res, f, s) ==
    [res |-> res, dev |-> FALSE, out |-> FALSE, facts |-> {}, read |-> <<>>, len |-> 0, file |-> f, streams |-> s]

Same(res) == Done(res, file, streams)
Outside(res) == [Same(res) EXCEPT !.out = TRUE]

\* Refused, with one of these; the others of `worse` break a SHOULD.
Stays(results, worse) ==
    { Same(r) : r \in results } \union { [Same(r) EXCEPT !.dev = TRUE] : r \in worse \ results }

\* A failed precondition SHOULD NOT be told by a RuntimeException.
Refused(results) == Stays(results, RuntimeErrors)

\* The same outcomes with any of these sets of facts.
\* @type: (Set({ res: Str, dev: Bool, out: Bool, facts: Set(Str), read: Seq(Str), len: Int, file: Seq(Seq(Str)), streams: Str -> { phase: Str, content: Seq(Str), synced: Int, flushed: Int, appends: Bool, before: Seq(Seq(Str)) } }), Set(Set(Str))) => Set({ res: Str, dev: Bool, out: Bool, facts: Set(Str), read: Seq(Str), len: Int, file: Seq(Seq(Str)), streams: Str -> { phase: Str, content: Seq(Str), synced: Int, flushed: Int, appends: Bool, before: Seq(Seq(Str)) } });
Told(outcomes, sets) == { [o EXCEPT !.facts = facts] : o \in outcomes, facts \in sets }

(* ------------------------------------------------------------------ open *)

Begun(s, mode) ==
    LET appends == mode = "append"
        made == [phase |-> "open", content |-> IF appends THEN file[1] ELSE <<>>, synced |-> 0, flushed |-> -1,
                 appends |-> appends, before |-> file]
    IN Done("ok", IF appends \/ CreateVisibilityDelayed THEN file ELSE <<(<<>>)>>, [streams EXCEPT ![s] = made])

\* A store without append SHOULD say so by UnsupportedOperationException.
Unsupported == IF SupportsAppend THEN {} ELSE {UOE}
UnsupportedWorse == IF SupportsAppend THEN {} ELSE IOErrors

\* While another stream writes to the path a lock may prevent it; or it may be done, to no defined end.
OpenWriter(s, mode) ==
    CASE Writing # {} ->
            Stays(IOErrors \union (IF mode = "append" THEN Unsupported ELSE {}), RuntimeErrors)
            \union (IF mode = "create" /\ ~CreateVisibilityDelayed THEN {} ELSE { Outside("ok") })
      [] Writing = {} /\ mode = "append" ->
            IF file = Missing
            THEN Stays({FNF} \union Relaxed \union Unsupported, RuntimeErrors \union UnsupportedWorse)
            ELSE IF SupportsAppend THEN { Begun(s, mode) }
            ELSE Stays(Unsupported, RuntimeErrors \union UnsupportedWorse)
      \* outputstream.object-store.create.late-check: whether it fails in the end is for close to say.
      [] Writing = {} /\ mode = "create" /\ file # Missing ->
            Refused({FAE} \union Relaxed)
            \union (IF CreateVisibilityDelayed THEN { Outside("ok") } ELSE {})
      [] OTHER -> { Begun(s, mode) }

(* ----------------------------------------------------------------- write *)

Write(s, c) ==
    LET one == streams[s] IN
    CASE one.phase = "open" \/ Fault = "a closed stream takes writes" ->
            { Done("ok", file, [streams EXCEPT ![s].content = @ \o c, ![s].phase = "open"]) }
      [] one.phase = "closed" -> { Same(r) : r \in IOErrors }
      [] OTHER -> { Same(r) : r \in Errors }

(* ----------------------------------------------------------------- syncs *)

\* flush promises nothing; on a closed stream it SHOULD do nothing.
Flush(s) ==
    CASE streams[s].phase = "closed" -> Stays({"done"}, Errors)
      [] OTHER -> { Same("done") }

AllSaved(s, call) ==
    LET length == Len(streams[s].content) IN
    Done("done", IF Fault = "hflush saves nothing" THEN file ELSE <<streams[s].content>>,
         [streams EXCEPT ![s].flushed = length, ![s].synced = IF call = "hsync" THEN length ELSE @])

\* FSDataOutputStream makes a flush of the call where the stream within is not Syncable, as it SHOULD be.
NoSync == Told({ Same(UOE) }, SUBSET {"syncable"}) \union { [Same("done") EXCEPT !.dev = TRUE] }

Sync(s, call) ==
    LET supported == IF call = "hflush" THEN SupportsHflush ELSE SupportsHsync IN
    CASE streams[s].phase = "open" ->
            IF supported THEN Told({ AllSaved(s, call) }, { {"capability"}, {"capability", "syncable"} }) ELSE NoSync
      [] OTHER -> Told({ Same(r) : r \in IOErrors }, SUBSET {"capability", "syncable"}) \union (IF supported THEN {} ELSE NoSync)

\* Capabilities are those of the open stream, or gone with it.
Capability(s, name) ==
    LET supported == IF name = "hflush" THEN SupportsHflush ELSE SupportsHsync IN
    { Same(IF supported THEN "true" ELSE "false") } \union (IF streams[s].phase = "open" THEN {} ELSE { Same("false") })

(* ------------------------------------------------------- close and abort *)

Close(s) ==
    IF streams[s].phase = "open"
    THEN { Done("ok", IF Fault = "close keeps what was not flushed" THEN file ELSE <<streams[s].content>>,
                [streams EXCEPT ![s] = Ended("closed")]) }
    ELSE IF Fault = "a second close takes the file away" /\ Writing = {}
    THEN { Done("ok", Missing, streams) }
    ELSE { Same("ok") }

NoAbort == Told({ Same(UOE) }, SUBSET {"abortable"})

\* Whether its streams abort no contract says; only those can of which nothing is seen before close.
Abort(s) ==
    LET one == streams[s]
        kept == IF Fault = "abort empties the file" /\ one.before # Missing THEN <<(<<>>)>> ELSE one.before
        again == Told({ Same("done") }, { {"already"} \union facts : facts \in SUBSET {"capability", "path", "abortable"} })
    IN
    CASE one.phase = "open" ->
            NoAbort \union
            (IF Hidden(s)
             THEN Told({ Done("done", kept, [streams EXCEPT ![s] = Ended("aborted")]) },
                       { {"capability", "abortable"}, {"capability", "abortable", "path"} })
             ELSE {})
      [] one.phase = "aborted" -> again
      [] OTHER -> NoAbort \union (IF CreateVisibilityDelayed THEN again ELSE {})

(* --------------------------------------------------------------- readers *)

Unseen(results) ==
    IF Missing \notin Views THEN {} ELSE Refused(results)

Read == { [Same("read") EXCEPT !.read = one[1]] : one \in Views \ {Missing} } \union Unseen(IOErrors)

GetFileStatus == { [Same("status") EXCEPT !.len = n] : n \in Lengths } \union Unseen({FNF})

Exists == { Same(IF one = Missing THEN "false" ELSE "true") : one \in Views }

\* Status, then bytes, then the entry in the listing, of a file that nobody writes to; in `facts` what does not agree.
\* @type: (Seq(Seq(Str)), Set(Set(Str))) => Set({ res: Str, dev: Bool, out: Bool, facts: Set(Str), read: Seq(Str), len: Int, file: Seq(Seq(Str)), streams: Str -> { phase: Str, content: Seq(Str), synced: Int, flushed: Int, appends: Bool, before: Seq(Seq(Str)) } });
Agreeing(one, facts) ==
    IF one = Missing THEN Told({ Same(r) : r \in IOErrors }, { {"missing", "not listed"} })
    ELSE Told({ [Same("seen") EXCEPT !.read = one[1], !.len = Len(one[1])] }, facts)

Listings == { {}, {"not listed"}, {"listed otherwise"} }

\* An observation is three questions: a file that is seen late may come into sight between two of them.
Appearing(s) ==
    LET one == streams[s].before
        new == { SubSeq(streams[s].content, 1, n) : n \in From(Saved(file, streams[s]), Len(streams[s].content)) }
        lengths == From(Shortest(s), Len(streams[s].content))
        old == IF one = Missing THEN 0 ELSE Len(one[1])
        entries == (IF old \in lengths THEN { {} } ELSE {}) \union (IF old + 1 \in lengths THEN { {"listed otherwise"} } ELSE {})
    IN
    IF one = Missing
    THEN Told({ Same(r) : r \in IOErrors } \union { [Same("seen") EXCEPT !.read = c] : c \in new },
              IF 0 \in lengths THEN { {"missing", "listed otherwise"} } ELSE {})
    ELSE Told({ [Same("seen") EXCEPT !.read = c, !.len = old] : c \in new \union {one[1]} },
              { entry \union more : entry \in entries, more \in SUBSET {"disagree", "untimely"} })

\* Of a file that is being written the listing is not judged.
Observe ==
    IF Writing = {} THEN Agreeing(file, IF ListedTimesDiffer THEN SUBSET {"untimely"} ELSE { {} })
    ELSE UNION {
        UNION { Told({ [Same("seen") EXCEPT !.read = SubSeq(streams[s].content, 1, n), !.len = m] : m \in From(Shortest(s), n) },
                     { listed \union more : listed \in Listings, more \in SUBSET {"disagree", "untimely"} })
                : n \in From(Saved(file, streams[s]), Len(streams[s].content)) }
        \union (IF Hidden(s) THEN Agreeing(streams[s].before, SUBSET {"untimely"}) \union Appearing(s) ELSE {})
        : s \in Writing }

(* ----------------------------------------------------------------- steps *)

\* @type: (Str, Str, Str, Seq(Str)) => { op: Str, stream: Str, how: Str, data: Seq(Str) };
Call(op, s, how, c) == [op |-> op, stream |-> s, how |-> how, data |-> c]

Modes == {"create", "overwrite", "append"}
Queries == {"open", "getFileStatus", "exists", "observe", "hasCapability"}

\* A name is given to one stream.
Calls ==
    LET unused == { s \in Streams : streams[s].phase = "none" }
        used == Streams \ unused
    IN
    { Call("open to write", s, mode, <<>>) : s \in unused, mode \in Modes }
    \union { Call("write", s, "", c) : s \in used, c \in Writes }
    \union { Call("sync", s, how, <<>>) : s \in used, how \in {"flush", "hflush", "hsync"} }
    \union { Call("hasCapability", s, how, <<>>) : s \in used, how \in {"hflush", "hsync"} }
    \union { Call(op, s, "", <<>>) : op \in {"close", "abort"}, s \in used }
    \union { Call(op, "", "", <<>>) : op \in {"open", "getFileStatus", "exists", "observe"} }

\* @type: { op: Str, stream: Str, how: Str, data: Seq(Str) } => Set({ res: Str, dev: Bool, out: Bool, facts: Set(Str), read: Seq(Str), len: Int, file: Seq(Seq(Str)), streams: Str -> { phase: Str, content: Seq(Str), synced: Int, flushed: Int, appends: Bool, before: Seq(Seq(Str)) } });
Outcomes(c) ==
    CASE c.op = "open to write" -> OpenWriter(c.stream, c.how)
      [] c.op = "write" -> Write(c.stream, c.data)
      [] c.op = "sync" -> IF c.how = "flush" THEN Flush(c.stream) ELSE Sync(c.stream, c.how)
      [] c.op = "hasCapability" -> Capability(c.stream, c.how)
      [] c.op = "close" -> Close(c.stream)
      [] c.op = "abort" -> Abort(c.stream)
      [] c.op = "open" -> Read
      [] c.op = "getFileStatus" -> GetFileStatus
      [] c.op = "observe" -> Observe
      [] OTHER -> Exists

\* The finite model has no longer files.
\* @type: { res: Str, dev: Bool, out: Bool, facts: Set(Str), read: Seq(Str), len: Int, file: Seq(Seq(Str)), streams: Str -> { phase: Str, content: Seq(Str), synced: Int, flushed: Int, appends: Bool, before: Seq(Seq(Str)) } } => Bool;
InBounds(o) == \A s \in Streams : Len(o.streams[s].content) <= MaxLength

Init ==
    /\ file \in {Missing} \union { <<c>> : c \in Writes }
    /\ streams = [s \in Streams |-> Ended("none")]
    /\ act = [op |-> "init", stream |-> "", how |-> "", data |-> <<>>,
              res |-> "ok", dev |-> FALSE, facts |-> {}, read |-> <<>>, len |-> 0]

\* @type: ({ op: Str, stream: Str, how: Str, data: Seq(Str) }, { res: Str, dev: Bool, out: Bool, facts: Set(Str), read: Seq(Str), len: Int, file: Seq(Seq(Str)), streams: Str -> { phase: Str, content: Seq(Str), synced: Int, flushed: Int, appends: Bool, before: Seq(Seq(Str)) } }) => Bool;
Step(c, o) ==
    /\ ~o.out
    /\ InBounds(o)
    /\ file' = o.file
    /\ streams' = o.streams
    /\ act' = [op |-> c.op, stream |-> c.stream, how |-> c.how, data |-> c.data,
               res |-> o.res, dev |-> o.dev, facts |-> o.facts, read |-> o.read, len |-> o.len]

Next == \E c \in Calls : \E o \in Outcomes(c) : Step(c, o)

Spec == Init /\ [][Next]_vars

\* Two states that differ in `act` only are one state.
StreamView == <<file, streams>>

(* ------------------------------------------------------------ invariants *)

TypeOK ==
    /\ file \in Files
    /\ \A s \in Streams :
        LET one == streams[s] IN
        /\ one.phase \in Phases
        /\ one.content \in Contents
        /\ one.before \in Files
        /\ one.synced \in 0 .. MaxLength
        /\ one.flushed \in -1 .. MaxLength
        /\ one.phase # "open" => one = Ended(one.phase)

\* outputstream.saved
SavedIsPrefix ==
    \A s \in Writing : ~CreateVisibilityDelayed \/ streams[s].appends \/ streams[s].flushed >= 0 =>
        file # Missing /\ IsPrefix(file[1], streams[s].content)

(* ----------------------------------------------------- safety of actions *)

Unchanged == UNCHANGED <<file, streams>>
OfStream == act'.stream \in Streams
Was(phase) == OfStream /\ streams[act'.stream].phase = phase

\* filesystem.refused-changes-nothing
FailureIsNoOp == [][act'.res \in Errors => Unchanged]_vars

QueriesChangeNothing == [][act'.op \in Queries => Unchanged]_vars

\* outputstream.saved: whoever reads gets what was written, in its order and from its begin on, or the old file as a whole.
ReadsAreWritten ==
    [][act'.res \in {"read", "seen"} =>
        IF Writing = {} THEN file = <<act'.read>>
        ELSE \E s \in Writing :
            IsPrefix(act'.read, streams[s].content) \/ (CreateVisibilityDelayed /\ streams[s].before = <<act'.read>>)]_vars

\* outputstream.sync.post.visible: new readers get all that was there when hflush or hsync returned last.
SyncedIsRead ==
    [][act'.op \in {"open", "observe"} => \A s \in Writing : streams[s].flushed >= 0 =>
        act'.res \in {"read", "seen"} /\ Len(act'.read) >= streams[s].flushed
            /\ IsPrefix(act'.read, streams[s].content)]_vars

\* outputstream.create.post.overwrite: while nothing is written there is an empty file, not the one that was there.
OldDataIsGone ==
    [][act'.op \in {"open", "getFileStatus", "observe"} /\ ~CreateVisibilityDelayed =>
        \A s \in Writing : ~streams[s].appends /\ streams[s].content = <<>> =>
            act'.res \in {"read", "status", "seen"} /\ act'.read = <<>> /\ act'.len = 0]_vars

\* The length is that of the file that was there before, for whoever asks before a new one comes into sight.
OfBefore(s) == CreateVisibilityDelayed /\ streams[s].before # Missing /\ act'.len = Len(streams[s].before[1])

\* outputstream.hdfs.length-not-ahead
LengthNotAhead ==
    [][/\ act'.res = "seen" => act'.len <= Len(act'.read) \/ \E s \in Writing : OfBefore(s)
       /\ act'.res = "status" => \A s \in Writing : act'.len <= Len(streams[s].content) \/ OfBefore(s)]_vars

\* outputstream.close.post.metadata: after close the path shows the whole file, in its length too.
CloseSavesAll ==
    [][/\ act'.op = "close" /\ Was("open") => file' = <<streams[act'.stream].content>>
       /\ act'.res \in {"status", "seen"} /\ Writing = {} => file # Missing /\ act'.len = Len(file[1])]_vars

\* outputstream.write.pre.open, abortable.write.post.aborted
EndedTakesNoWrite ==
    [][act'.op = "write" /\ (Was("closed") \/ Was("aborted")) => act'.res \in Errors /\ Unchanged]_vars

\* outputstream.close.idempotent, abortable.close.post.not-visible
CloseAgainIsNoOp == [][act'.op = "close" /\ ~Was("open") => act'.res = "ok" /\ Unchanged]_vars

\* abortable.abort.post.unchanged, abortable.abort.post.existing-file
AbortUndoes ==
    [][act'.op = "abort" /\ Was("open") /\ act'.res = "done" =>
        /\ file' = streams[act'.stream].before
        /\ streams'[act'.stream].phase = "aborted"]_vars

\* abortable.abort.pre.visible-on-close
AbortHasNotShown ==
    [][act'.op = "abort" /\ Was("open") /\ act'.res = "done" =>
        CreateVisibilityDelayed /\ streams[act'.stream].flushed < 0]_vars

\* abortable.abort.post.closed, abortable.result.already-closed
AbortAgainIsNoOp ==
    [][/\ act'.op = "abort" /\ ~Was("open") => Unchanged /\ (act'.res = "done" => "already" \in act'.facts)
       /\ act'.op = "abort" /\ Was("aborted") => act'.res = "done"]_vars
=============================================================================
