----------------------------- MODULE ObjectStore -----------------------------
(***************************************************************************)
(* An object store and a connector that plays the filesystem on it, one    *)
(* request a step: PUT, COPY, DELETE, LIST with HEAD, multipart uploads,   *)
(* conditional PUT. What a directory is, is read off the keys: every path  *)
(* with a marker, and every ancestor of a key.                             *)
(*                                                                         *)
(* Refines says that this implements module Namespace: a step that ends a  *)
(* call is one of the outcomes allowed to that call, and no other step     *)
(* changes what the filesystem shows. Where it fails, the counterexample   *)
(* is what a second client can see.                                        *)
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
    \* @type: Str;
    Fault,
    \* The calls that clients make: names of operations, and "upload".
    \* @type: Set(Str);
    Operations,
    \* @type: Set(Int);
    Clients,
    \* PUT of a file that is not to overwrite asks the store for the key to be free.
    \* @type: Bool;
    ConditionalPut,
    \* What is deleted last in a directory: its marker is put before that, and not after.
    \* @type: Bool;
    MarkerFirst,
    \* Trees are deleted too.
    \* @type: Bool;
    DeletesTrees,
    \* Objects and markers of the finite model, at most.
    \* @type: Int;
    MaxKeys

VARIABLES
    \* @type: Seq(Str) -> Seq(Str);
    objects,
    \* @type: Set(Seq(Str));
    markers,
    \* What each client is doing.
    \* @type: Int -> { op: Str, path: Seq(Str), dst: Seq(Str), data: Seq(Str), flag: Bool, phase: Str, todo: Set(Seq(Str)) };
    jobs,
    \* @type: { op: Str, path: Seq(Str), dst: Seq(Str), data: Seq(Str), flag: Bool, res: Str, dev: Bool, seen: Set(<<Str, Str, Int>>), read: Seq(Str) };
    act

vars == <<objects, markers, jobs, act>>

Keys == DOMAIN objects \union markers

\* The filesystem that the keys show.
ShownDirs == {Root} \union markers \union UNION { Ancestors(k) : k \in Keys }

FS == INSTANCE Namespace WITH dirs <- ShownDirs, files <- objects, links <- [q \in {} |-> Root]

\* @type: () => { op: Str, path: Seq(Str), dst: Seq(Str), data: Seq(Str), flag: Bool, phase: Str, todo: Set(Seq(Str)) };
Idle == [op |-> "", path |-> Root, dst |-> Root, data |-> <<>>, flag |-> FALSE, phase |-> "", todo |-> {}]

\* @type: ({ op: Str, path: Seq(Str), dst: Seq(Str), data: Seq(Str), flag: Bool }, Str, Set(Seq(Str))) => { op: Str, path: Seq(Str), dst: Seq(Str), data: Seq(Str), flag: Bool, phase: Str, todo: Set(Seq(Str)) };
Job(c, phase, todo) ==
    [op |-> c.op, path |-> c.path, dst |-> c.dst, data |-> c.data, flag |-> c.flag, phase |-> phase, todo |-> todo]

\* @type: { op: Str, path: Seq(Str), dst: Seq(Str), data: Seq(Str), flag: Bool, phase: Str, todo: Set(Seq(Str)) } => { op: Str, path: Seq(Str), dst: Seq(Str), data: Seq(Str), flag: Bool };
CallOf(j) == FS!Call(IF j.op = "upload" THEN "create" ELSE j.op, j.path, j.dst, j.data, j.flag)

\* @type: ({ op: Str, path: Seq(Str), dst: Seq(Str), data: Seq(Str), flag: Bool, phase: Str, todo: Set(Seq(Str)) }, Str) => { op: Str, path: Seq(Str), dst: Seq(Str), data: Seq(Str), flag: Bool, res: Str, dev: Bool, seen: Set(<<Str, Str, Int>>), read: Seq(Str) };
Told(j, res) ==
    LET c == CallOf(j) IN
    [op |-> c.op, path |-> c.path, dst |-> c.dst, data |-> c.data, flag |-> c.flag,
     res |-> res, dev |-> FALSE, seen |-> {}, read |-> <<>>]

Calls ==
    { FS!Call("mkdirs", p, Root, <<>>, FALSE) : p \in Paths }
    \union { FS!Call("create", p, Root, c, f) : p \in Paths \ {Root}, c \in FS!Writes, f \in BOOLEAN }
    \union { FS!Call("upload", p, Root, c, TRUE) : p \in Paths \ {Root}, c \in FS!Writes }
    \union { FS!Call("delete", p, Root, <<>>, f) : p \in Paths \ {Root}, f \in IF DeletesTrees THEN BOOLEAN ELSE {FALSE} }
    \union { FS!Call("rename", s, d, <<>>, FALSE) : s \in Paths \ {Root}, d \in Paths \ {Root} }

Below(p) == { k \in Keys : IsPrefix(p, k) }

\* The parents that nothing but what goes away keeps.
Bereft(gone) ==
    { p \in { Parent(g) : g \in gone } : p # Root /\ p \notin markers /\ ~(\E g \in gone : IsPrefix(g, p))
        /\ \A k \in Keys : IsAncestor(p, k) => \E g \in gone : IsPrefix(g, k) }

\* @type: (Seq(Str) -> Seq(Str), Set(Seq(Str))) => (Seq(Str) -> Seq(Str));
Without(f, gone) == [q \in DOMAIN f \ gone |-> f[q]]
\* @type: (Seq(Str) -> Seq(Str), Seq(Str), Seq(Str)) => (Seq(Str) -> Seq(Str));
With(f, p, x) == [q \in DOMAIN f \union {p} |-> IF q = p THEN x ELSE f[q]]

Same == UNCHANGED <<objects, markers>>

\* What a request leaves in the store; the finite model has no more keys.
\* @type: (Seq(Str) -> Seq(Str), Set(Seq(Str))) => Bool;
Holds(o, m) ==
    /\ objects' = o
    /\ markers' = m
    /\ DOMAIN o \subseteq Paths /\ m \subseteq Paths
    /\ Cardinality(DOMAIN o) + Cardinality(m) <= MaxKeys

Go(cl, job) == jobs' = [jobs EXCEPT ![cl] = job]
End(cl, res) == Go(cl, Idle) /\ act' = Told(jobs[cl], res)
GoOn(cl, phase, todo) ==
    Go(cl, [jobs[cl] EXCEPT !.phase = phase, !.todo = todo]) /\ act' = Told(jobs[cl], "")

(* HEAD and LIST: what the connector looks at before it changes anything. *)
Begin(cl) ==
    /\ jobs[cl] = Idle
    /\ \E c \in { one \in Calls : one.op \in Operations } :
        LET call == CallOf(Job(c, "", {}))
            outcomes == { o \in FS!Outcomes(call) : ~o.dev /\ ~o.out /\ FS!InBounds(o) }
            refusals == { o \in outcomes : o.res \in FS!Errors \union {"false"} }
        IN
        /\ Same
        /\ IF refusals # {} \/ outcomes = {}
           THEN /\ \E o \in refusals : act' = Told(Job(c, "", {}), o.res)
                /\ UNCHANGED jobs
           ELSE /\ Go(cl, Job(c, "looked", {}))
                /\ act' = Told(Job(c, "", {}), "")

Mkdirs(cl) ==
    /\ jobs[cl].op = "mkdirs" /\ jobs[cl].phase = "looked"
    /\ Holds(objects, IF jobs[cl].path = Root THEN markers ELSE markers \union {jobs[cl].path})
    /\ End(cl, "true")

Create(cl) ==
    LET j == jobs[cl] IN
    /\ j.op = "create" /\ j.phase = "looked"
    /\ IF ConditionalPut /\ ~j.flag /\ j.path \in DOMAIN objects
       THEN Same /\ End(cl, "FileAlreadyExistsException")
       ELSE /\ Holds(With(objects, j.path, j.data), markers)
            /\ End(cl, "ok")

(* Initiated, one part put, completed or aborted: only the completion shows. *)
Upload(cl) ==
    LET j == jobs[cl] IN
    /\ j.op = "upload"
    /\ \/ j.phase = "looked" /\ Same /\ GoOn(cl, "initiated", {})
       \/ /\ j.phase = "initiated"
          /\ IF Fault = "a part that is put is shown"
             THEN Holds(With(objects, j.path, j.data), markers)
             ELSE Same
          /\ GoOn(cl, "put", {})
       \/ j.phase \in {"initiated", "put"} /\ Same /\ Go(cl, Idle) /\ act' = Told(j, "")
       \/ /\ j.phase = "put"
          /\ Holds(With(objects, j.path, j.data), markers)
          /\ End(cl, "ok")

(* One DELETE for each key; what is left without a key is given a marker. *)
Delete(cl) ==
    LET j == jobs[cl] IN
    /\ j.op = "delete"
    /\ \/ /\ j.phase = "looked"
          /\ Holds(objects, IF MarkerFirst THEN markers \union Bereft({j.path}) ELSE markers)
          /\ IF Below(j.path) = {} THEN End(cl, "false") ELSE GoOn(cl, "deleting", Below(j.path))
       \/ /\ j.phase = "deleting" /\ j.todo # {}
          /\ LET orphans == Bereft({j.path})
                 last(k) == j.todo = {k} /\ (MarkerFirst \/ orphans = {})
             IN \E k \in j.todo :
                /\ Holds(Without(objects, {k}), markers \ {k})
                /\ IF last(k) THEN End(cl, "true") ELSE GoOn(cl, "deleting", j.todo \ {k})
       \/ /\ j.phase = "deleting" /\ j.todo = {}
          /\ Holds(objects, IF Parent(j.path) = Root THEN markers ELSE markers \union {Parent(j.path)})
          /\ End(cl, "true")

(* COPY each key, then DELETE each. *)
Rename(cl) ==
    LET j == jobs[cl]
        t == IF j.dst \in ShownDirs /\ j.phase = "looked" THEN Append(j.dst, Last(j.path)) ELSE j.dst
    IN
    /\ j.op = "rename"
    /\ \/ /\ j.phase = "looked"
          /\ Same
          /\ IF j.path = j.dst \/ t = j.path
             THEN End(cl, "true")
             ELSE /\ Go(cl, [j EXCEPT !.phase = "copying", !.todo = Below(j.path), !.dst = t])
                  /\ act' = Told(j, "")
       \/ /\ j.phase = "copying" /\ j.todo # {}
          /\ \E k \in j.todo :
                /\ Holds(IF k \in DOMAIN objects THEN With(objects, Moved(k, j.path, j.dst), objects[k]) ELSE objects,
                         IF k \in markers THEN markers \union {Moved(k, j.path, j.dst)} ELSE markers)
                /\ GoOn(cl, IF j.todo = {k} THEN "removing" ELSE "copying", IF j.todo = {k} THEN Below(j.path) ELSE j.todo \ {k})
       \/ /\ j.phase = "removing" /\ j.todo # {}
          /\ \E k \in j.todo :
                /\ Holds(Without(objects, {k}), (markers \ {k}) \union (IF MarkerFirst THEN Bereft({j.path}) ELSE {}))
                /\ IF j.todo = {k} THEN End(cl, "true") ELSE GoOn(cl, "removing", j.todo \ {k})

Init ==
    /\ objects = [q \in {} |-> <<>>]
    /\ markers = {}
    /\ jobs = [cl \in Clients |-> Idle]
    /\ act = Told(Idle, "")

Next == \E cl \in Clients : Begin(cl) \/ Mkdirs(cl) \/ Create(cl) \/ Upload(cl) \/ Delete(cl) \/ Rename(cl)

Spec == Init /\ [][Next]_vars

StoreView == <<objects, markers, jobs>>

(* ------------------------------------------------------------ invariants *)

TypeOK ==
    /\ DOMAIN objects \subseteq Paths \ {Root}
    /\ markers \subseteq Paths \ {Root}
    /\ \A p \in DOMAIN objects : objects[p] \in FS!Contents

\* model.filesystem.exclusivity: no path is a file and a directory.
Disjoint == ShownDirs \intersect DOMAIN objects = {}

\* model.filesystem.parent-is-directory
ParentsAreDirs == \A p \in ShownDirs \union DOMAIN objects : p # Root => Parent(p) \in ShownDirs

(* ------------------------------------------------------------ refinement *)

Shown == <<ShownDirs, objects>>

\* Judged against the filesystem that is shown before the step.
Ended == \E o \in FS!Outcomes(FS!Call(act'.op, act'.path, act'.dst, act'.data, act'.flag)) :
            o.res = act'.res /\ o.dirs = ShownDirs' /\ o.files = objects'

Refines == [][IF act'.res = "" THEN UNCHANGED Shown ELSE Ended]_vars

\* multipartuploader.invariant.not-visible: nothing of an upload is shown before it is complete.
UploadsShowAtTheirEnd == [][act'.res = "" => UNCHANGED Shown]_vars
=============================================================================
