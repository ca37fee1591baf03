------------------------------ MODULE Pipeline ------------------------------
(***************************************************************************)
(* One block of HDFS: its write pipeline, DataNodes that fail and come     *)
(* back, pipeline recovery at any stage, lease recovery, appends, and the  *)
(* replicas that the NameNode has copied once the file is closed.          *)
(* Sources: the paper of 2010 (III.A: packets, hflush, what a reader of an *)
(* open file meets; II.B: block reports), the history of appends           *)
(* (generation stamps), and the append design behind both (HDFS-265:       *)
(* states of replicas, pipeline recovery, lease and block recovery).       *)
(*                                                                         *)
(* A new generation stamp reaches NameNode and DataNodes in one step, and  *)
(* so does the end of a block recovery. A replica is under recovery while  *)
(* it is in "taking".                                                      *)
(***************************************************************************)
EXTENDS Integers, FiniteSets

CONSTANTS
    \* @type: Set(Str);
    Nodes,
    \* @type: Int;
    MaxLength,
    \* How often a DataNode fails, at most.
    \* @type: Int;
    MaxFailures,
    \* How often the file is opened to append to, at most.
    \* @type: Int;
    MaxAppends,
    \* Whether somebody else may take the lease.
    \* @type: Bool;
    Recovers,
    \* A seeded fault, to prove that the invariants find one; "" for none.
    \* @type: Str;
    Fault

VARIABLES
    \* States are "being written", "waiting" to be recovered, "finalized". Bytes that were in a finalized replica are "kept".
    \* @type: Str -> { state: Str, stamp: Int, len: Int, kept: Int };
    replicas,
    \* @type: Set(Str);
    up,
    \* The nodes of the pipeline, and those of them that the writer still reaches.
    \* @type: Set(Str);
    pipeline,
    \* @type: Set(Str);
    joined,
    \* Packets that were written, and those that hflush or the end of a file promised.
    \* @type: Int;
    sent,
    \* @type: Int;
    acked,
    \* Who holds the lease: "writer", "recovery", or "nobody" once the file is closed.
    \* @type: Str;
    lease,
    \* Whether the writer called close.
    \* @type: Bool;
    closing,
    \* Who closed the file: "" while it is open.
    \* @type: Str;
    closed,
    \* The NameNode's stamp and length of the block, and where it says that replicas are.
    \* @type: Int;
    stamp,
    \* @type: Int;
    length,
    \* @type: Set(Str);
    places,
    \* The replicas that take part in a block recovery under way.
    \* @type: Set(Str);
    taking,
    \* @type: Int;
    failures,
    \* @type: Int;
    appends

vars == <<replicas, up, pipeline, joined, sent, acked, lease, closing, closed, stamp, length, places, taking,
          failures, appends>>
PipelineView == vars

Init ==
    /\ replicas = [n \in Nodes |-> [state |-> "being written", stamp |-> 1, len |-> 0, kept |-> 0]]
    /\ up = Nodes /\ pipeline = Nodes /\ joined = Nodes /\ places = {} /\ taking = {}
    /\ sent = 0 /\ acked = 0 /\ lease = "writer" /\ closing = FALSE /\ closed = "" /\ stamp = 1 /\ length = 0
    /\ failures = 0 /\ appends = 0

TypeOK ==
    /\ \A n \in Nodes :
        /\ replicas[n].state \in {"being written", "waiting", "finalized"}
        /\ replicas[n].stamp \in 1..stamp /\ replicas[n].len \in 0..MaxLength
        /\ replicas[n].kept \in 0..replicas[n].len
    /\ joined \subseteq (pipeline \intersect up) /\ taking \subseteq up
    /\ sent \in 0..MaxLength /\ acked \in 0..MaxLength
    /\ (closed = "") = (lease /= "nobody")

\* The writer.

Send ==
    /\ closed = "" /\ ~closing /\ sent < MaxLength /\ sent' = sent + 1
    /\ UNCHANGED <<replicas, up, pipeline, joined, acked, lease, closing, closed, stamp, length, places, taking,
                   failures, appends>>

Receive(n) ==
    /\ n \in joined /\ replicas[n].state = "being written" /\ replicas[n].len < sent
    /\ replicas' = [replicas EXCEPT ![n].len = @ + 1]
    /\ UNCHANGED <<up, pipeline, joined, sent, acked, lease, closing, closed, stamp, length, places, taking,
                   failures, appends>>

Full(n) == n \in joined /\ replicas[n].len = sent

Hflush ==
    /\ closed = "" /\ ~closing /\ acked < sent /\ acked' = sent
    /\ LET full == { n \in pipeline : Full(n) } IN
       IF Fault = "hflush waits for one" THEN full /= {} ELSE full = pipeline
    /\ UNCHANGED <<replicas, up, pipeline, joined, sent, lease, closing, closed, stamp, length, places, taking,
                   failures, appends>>

Close ==
    /\ closed = "" /\ ~closing /\ lease = "writer" /\ closing' = TRUE
    /\ UNCHANGED <<replicas, up, pipeline, joined, sent, acked, lease, closed, stamp, length, places, taking,
                   failures, appends>>

\* The last packet reached a DataNode.
Finalize(n) ==
    /\ closing /\ Full(n) /\ replicas[n].state = "being written"
    /\ replicas' = [replicas EXCEPT ![n].state = "finalized", ![n].kept = replicas[n].len]
    /\ UNCHANGED <<up, pipeline, joined, sent, acked, lease, closing, closed, stamp, length, places, taking,
                   failures, appends>>

\* The NameNode closes the file for the writer.
Complete ==
    /\ closing /\ closed = "" /\ (Fault /= "close without the lease" => lease = "writer")
    /\ \A n \in pipeline : n \in joined /\ replicas[n].state = "finalized"
    /\ closed' = (IF lease = "writer" THEN "writer" ELSE "writer without lease")
    /\ lease' = "nobody" /\ closing' = FALSE /\ length' = sent /\ acked' = sent
    /\ places' = pipeline /\ pipeline' = {} /\ joined' = {} /\ taking' = {}
    /\ UNCHANGED <<replicas, up, sent, stamp, failures, appends>>

\* At any stage: who is left goes on with a new stamp; what was finalized stays so.
RecoverPipeline ==
    /\ lease = "writer" /\ joined /= {} /\ joined /= pipeline
    /\ pipeline' = joined
    /\ stamp' = (IF Fault = "the stamp stays" THEN stamp ELSE stamp + 1)
    /\ replicas' = [n \in Nodes |->
         IF n \in joined THEN [replicas[n] EXCEPT !.stamp = stamp'] ELSE replicas[n]]
    /\ UNCHANGED <<up, joined, sent, acked, lease, closing, closed, length, places, taking, failures, appends>>

Reopen ==
    LET first == places \intersect up IN
    /\ closed /= "" /\ appends < MaxAppends /\ first /= {}
    /\ appends' = appends + 1 /\ closed' = "" /\ lease' = "writer" /\ pipeline' = first /\ joined' = first
    /\ stamp' = (IF Fault = "an append leaves the stamp" THEN stamp ELSE stamp + 1)
    /\ replicas' = [n \in Nodes |->
         IF n \in first THEN [replicas[n] EXCEPT !.state = "being written", !.stamp = stamp'] ELSE replicas[n]]
    /\ places' = {} /\ sent' = (IF Fault = "an append begins anew" THEN 0 ELSE sent)
    /\ UNCHANGED <<up, acked, closing, length, taking, failures>>

\* DataNodes.

\* Some replica of an open block stays: of one that has lost all of them nothing is promised.
Stays(n) == n \in up /\ replicas[n].stamp = stamp /\ replicas[n].state /= "waiting"
Fail(n) ==
    /\ n \in up /\ failures < MaxFailures /\ (closed = "" => { m \in Nodes \ {n} : Stays(m) } /= {})
    /\ up' = up \ {n} /\ failures' = failures + 1
    /\ joined' = joined \ {n} /\ taking' = (IF n \in taking THEN {} ELSE taking)
    /\ UNCHANGED <<replicas, pipeline, sent, acked, lease, closing, closed, stamp, length, places, appends>>

\* A replica that was being written waits to be recovered. hflush brings bytes to DataNodes, not to their disks: any of
\* those that the replica had may be gone, but for those of a finalized one that was appended to.
Restart(n) ==
    /\ n \notin up /\ up' = up \union {n}
    /\ \E k \in replicas[n].kept..replicas[n].len :
        /\ replicas' = [replicas EXCEPT ![n].state = IF @ = "finalized" THEN @ ELSE "waiting", ![n].len = k]
    /\ UNCHANGED <<pipeline, joined, sent, acked, lease, closing, closed, stamp, length, places, taking, failures,
                   appends>>

\* Lease recovery, by a primary among the DataNodes.

TakeLease ==
    /\ Recovers /\ lease = "writer" /\ lease' = "recovery"
    /\ UNCHANGED <<replicas, up, pipeline, joined, sent, acked, closing, closed, stamp, length, places, taking,
                   failures, appends>>

Fit == { n \in up : replicas[n].stamp = stamp \/ Fault = "old stamps take part" }
In(state) == { n \in Fit : replicas[n].state = state }
Length(set) == CHOOSE k \in 0..MaxLength :
    (\E n \in set : replicas[n].len = k) /\ \A n \in set : replicas[n].len >= k

\* Replicas of the highest state take part; beside finalized ones those being written that are as long.
Taking ==
    IF Fault \in {"any state takes part", "old stamps take part"} THEN Fit
    ELSE IF In("finalized") /= {} THEN
        In("finalized") \union { n \in In("being written") : replicas[n].len = Length(In("finalized")) }
    ELSE IF In("being written") /= {} THEN In("being written")
    ELSE In("waiting")

\* From here on the writer does not reach them.
BeginRecovery ==
    /\ lease = "recovery" /\ taking = {} /\ Fit /= {} /\ taking' = Taking /\ joined' = joined \ Taking
    /\ UNCHANGED <<replicas, up, pipeline, sent, acked, lease, closing, closed, stamp, length, places, failures,
                   appends>>

FinishRecovery ==
    LET least == Length(taking) IN
    /\ lease = "recovery" /\ taking /= {}
    /\ stamp' = stamp + 1 /\ length' = least /\ sent' = least /\ acked' = (IF acked > least THEN acked ELSE least)
    /\ places' = taking /\ taking' = {} /\ pipeline' = {} /\ joined' = {}
    /\ replicas' = [n \in Nodes |->
         IF n \notin taking THEN replicas[n]
         ELSE LET own == IF Fault = "lengths stay" THEN replicas[n].len ELSE least IN
              [state |-> "finalized", stamp |-> stamp', len |-> own, kept |-> own]]
    /\ closed' = "recovery" /\ lease' = "nobody" /\ closing' = FALSE
    /\ UNCHANGED <<up, failures, appends>>

\* The NameNode, once the file is closed.

Right(n) == replicas[n].stamp = stamp /\ replicas[n].len = length /\ replicas[n].state = "finalized"

\* A block report: what has the block's stamp and length is taken, and what has not is dropped.
Report(n) ==
    /\ closed /= "" /\ n \in up
    /\ places' = (IF Right(n) \/ Fault = "old stamps are reported" THEN places \union {n} ELSE places \ {n})
    /\ places' /= places
    /\ UNCHANGED <<replicas, up, pipeline, joined, sent, acked, lease, closing, closed, stamp, length, taking,
                   failures, appends>>

\* A node that has no replica that counts gets a copy of one.
Copy(n) ==
    /\ closed /= "" /\ n \in up \ places /\ ~Right(n) /\ { m \in places \intersect up : Right(m) } /= {}
    /\ replicas' = [replicas EXCEPT ![n] = [state |-> "finalized", stamp |-> stamp, len |-> length, kept |-> length]]
    /\ places' = places \union {n}
    /\ UNCHANGED <<up, pipeline, joined, sent, acked, lease, closing, closed, stamp, length, taking, failures,
                   appends>>

Next ==
    \/ Send \/ Hflush \/ Close \/ Complete \/ RecoverPipeline \/ Reopen
    \/ TakeLease \/ BeginRecovery \/ FinishRecovery
    \/ \E n \in Nodes : Receive(n) \/ Finalize(n) \/ Fail(n) \/ Restart(n) \/ Report(n) \/ Copy(n)

Spec == Init /\ [][Next]_vars

\* Readers.

\* The nodes whose replica a reader may be given; of one that waits no byte is shown.
Read ==
    IF closed /= "" THEN places \intersect up
    ELSE { n \in up : (replicas[n].stamp = stamp /\ replicas[n].state /= "waiting") \/ Fault = "old stamps are read" }

\* What hflush, or the end of the file, promised is in each replica that may be read, and in the file at last.
HflushedStays == (closed /= "" => length >= acked) /\ \A n \in Read : replicas[n].len >= acked
OldIsNotRead == \A n \in Read : replicas[n].stamp = stamp
ClosedAgree == closed /= "" => \A n \in places : replicas[n].state = "finalized" /\ replicas[n].len = length
HolderCloses == closed /= "writer without lease"
ClosedStays == [][acked' >= acked /\ sent' >= acked']_vars
StampsGrow == [][stamp' >= stamp /\ (pipeline' /= pipeline /\ pipeline' /= {} => stamp' > stamp)]_vars
=============================================================================
