----------------------------- MODULE SmallSteps -----------------------------
(***************************************************************************)
(* Calls of several clients at once, and what each of them sees.           *)
(* Sources: introduction.md, "Atomicity", "Consistency"; filesystem.md.    *)
(*                                                                         *)
(* A client makes a call, some time later the call takes effect as module  *)
(* Namespace has it, and some time later it returns. What an operation of  *)
(* InSteps does need not be atomic: it may also take effect in steps that  *)
(* other clients see between. `history` has the calls and their returns in *)
(* their order, but not when anything took effect: a history is allowed if *)
(* there is a behaviour of this module that leads to it.                   *)
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
    \* The calls that clients make, by the names of operations.
    \* @type: Set(Str);
    Operations,
    \* Which operations may take effect in several steps: create, mkdirs, delete, rename.
    \* @type: Set(Str);
    InSteps,
    \* What there may be in the beginning, by number.
    \* @type: Set(Int);
    Beginnings,
    \* Calls in a history, and those of one client, at most.
    \* @type: Int;
    MaxCalls,
    \* @type: Int;
    MaxEach

VARIABLES
    \* @type: Set(Seq(Str));
    dirs,
    \* @type: Seq(Str) -> Seq(Str);
    files,
    \* What each client is doing. Of a call in several steps `depth` is how many names of the path are made, `tree` what was
    \* there when it was listed, and `left` what is still to be done of that.
    \* @type: Int -> { op: Str, path: Seq(Str), dst: Seq(Str), data: Seq(Str), flag: Bool, phase: Str, depth: Int, tree: Set(Seq(Str)), left: Set(Seq(Str)), res: Str, seen: Set(<<Str, Str, Int>>) };
    jobs,
    \* A call has an operation, a return has none.
    \* @type: Seq({ client: Int, op: Str, path: Seq(Str), dst: Seq(Str), data: Seq(Str), flag: Bool, res: Str, seen: Set(<<Str, Str, Int>>) });
    history,
    \* @type: Int;
    beginning

vars == <<dirs, files, jobs, history, beginning>>

Clients == {1, 2}

\* @type: () => { op: Str, path: Seq(Str), dst: Seq(Str), data: Seq(Str), flag: Bool, res: Str, dev: Bool, seen: Set(<<Str, Str, Int>>), read: Seq(Str) };
Nothing == [op |-> "", path |-> Root, dst |-> Root, data |-> <<>>, flag |-> FALSE, res |-> "", dev |-> FALSE, seen |-> {}, read |-> <<>>]

FS == INSTANCE Namespace WITH links <- [q \in {} |-> Root], act <- Nothing

(* ---------------------------------------------------- calls and returns *)

A == <<"a">>
B == <<"b">>
AB == <<"a", "b">>

Calls ==
    { c \in
        { FS!Call("create", p, Root, <<>>, FALSE) : p \in {A, AB} }
        \union { FS!Call("mkdirs", p, Root, <<>>, FALSE) : p \in {A, AB} }
        \union { FS!Call("delete", p, Root, <<>>, f) : p \in {A, AB}, f \in BOOLEAN }
        \union { FS!Call("rename", A, B, <<>>, FALSE), FS!Call("rename", B, A, <<>>, FALSE), FS!Call("rename", AB, B, <<>>, FALSE) }
        \union { FS!Call("getFileStatus", p, Root, <<>>, FALSE) : p \in {A, B, AB} }
      : c.op \in Operations }

\* @type: () => { op: Str, path: Seq(Str), dst: Seq(Str), data: Seq(Str), flag: Bool, phase: Str, depth: Int, tree: Set(Seq(Str)), left: Set(Seq(Str)), res: Str, seen: Set(<<Str, Str, Int>>) };
Idle ==
    [op |-> "", path |-> Root, dst |-> Root, data |-> <<>>, flag |-> FALSE, phase |-> "idle", depth |-> 0, tree |-> {},
     left |-> {}, res |-> "", seen |-> {}]

Same == UNCHANGED <<dirs, files>>

\* @type: (Int, { op: Str, path: Seq(Str), dst: Seq(Str), data: Seq(Str), flag: Bool, phase: Str, depth: Int, tree: Set(Seq(Str)), left: Set(Seq(Str)), res: Str, seen: Set(<<Str, Str, Int>>) }) => Bool;
Becomes(cl, job) == jobs' = [jobs EXCEPT ![cl] = job] /\ UNCHANGED <<history, beginning>>

\* @type: (Int, Str, Set(<<Str, Str, Int>>)) => Bool;
Did(cl, res, seen) == Becomes(cl, [jobs[cl] EXCEPT !.phase = "done", !.depth = 0, !.tree = {}, !.left = {}, !.res = res, !.seen = seen])

\* @type: Int => Int;
Made(cl) == Cardinality({ n \in DOMAIN history : history[n].client = cl /\ history[n].op # "" })

\* The clients are alike, so that the first call is always one's.
Invoke(cl) ==
    /\ jobs[cl].phase = "idle"
    /\ history = <<>> => cl = 1
    /\ Made(cl) < MaxEach /\ Made(1) + Made(2) < MaxCalls
    /\ \E c \in Calls :
        /\ jobs' = [jobs EXCEPT ![cl] =
                        [Idle EXCEPT !.op = c.op, !.path = c.path, !.dst = c.dst, !.data = c.data, !.flag = c.flag, !.phase = "called"]]
        /\ history' = Append(history, [client |-> cl, op |-> c.op, path |-> c.path, dst |-> c.dst, data |-> c.data,
                                       flag |-> c.flag, res |-> "", seen |-> {}])
    /\ Same /\ UNCHANGED beginning

Return(cl) ==
    /\ jobs[cl].phase = "done"
    /\ history' = Append(history, [client |-> cl, op |-> "", path |-> Root, dst |-> Root, data |-> <<>>, flag |-> FALSE,
                                   res |-> jobs[cl].res, seen |-> jobs[cl].seen])
    /\ jobs' = [jobs EXCEPT ![cl] = Idle]
    /\ Same /\ UNCHANGED beginning

(* -------------------------------------------------------------- effects *)

\* @type: { op: Str, path: Seq(Str), dst: Seq(Str), data: Seq(Str), flag: Bool, phase: Str, depth: Int, tree: Set(Seq(Str)), left: Set(Seq(Str)), res: Str, seen: Set(<<Str, Str, Int>>) } => { op: Str, path: Seq(Str), dst: Seq(Str), data: Seq(Str), flag: Bool };
CallOf(j) == FS!Call(j.op, j.path, j.dst, j.data, j.flag)

\* @type: { res: Str, dev: Bool, out: Bool, seen: Set(<<Str, Str, Int>>), read: Seq(Str), dirs: Set(Seq(Str)), files: Seq(Str) -> Seq(Str), links: Seq(Str) -> Seq(Str) } => Bool;
Leaves(o) == ~o.out /\ FS!InBounds(o) /\ dirs' = o.dirs /\ files' = o.files

\* The whole call in one step, or all that is left of mkdirs or create.
AtOnce(cl) ==
    LET j == jobs[cl] IN
    /\ j.phase = "called" \/ (j.phase = "begun" /\ j.op \in {"mkdirs", "create"})
    /\ ~(Fault = "create looks before it creates" /\ j.op = "create")
    /\ \E o \in FS!Outcomes(CallOf(j)) : Leaves(o) /\ Did(cl, o.res, o.seen)

\* A seeded fault: what was looked at may have changed when the file is made.
LooksFirst(cl) ==
    LET j == jobs[cl] IN
    /\ Fault = "create looks before it creates" /\ j.op = "create"
    /\ \/ /\ j.phase = "called" /\ Same
          /\ IF FS!exists(j.path) \/ FS!UnderFile(j.path) THEN Did(cl, FS!FAE, {}) ELSE Becomes(cl, [j EXCEPT !.phase = "begun"])
       \/ /\ j.phase = "begun"
          /\ \E o \in FS!Create(j.path, j.data, TRUE) : Leaves(o) /\ Did(cl, o.res, o.seen)

(* ---------------------------------------------------------- small steps *)

\* A call may end half done where another client meddled with what it works on; then by any error, or by false.
Breaks(cl) == \E r \in FS!Errors \union {"false"} : Same /\ Did(cl, r, {})

\* filesystem.mkdirs.ancestors-atomic: one missing directory after another, from above; so too where create makes parents.
Making(cl) ==
    LET j == jobs[cl]
        missing == { n \in 1 .. MaxDepth : j.depth < n /\ n < Len(j.path) /\ ~FS!isDir(SubSeq(j.path, 1, n)) }
    IN
    /\ j.op \in {"mkdirs", "create"} \intersect InSteps /\ j.phase \in {"called", "begun"}
    /\ \/ \E n \in missing :
            /\ \A m \in missing : n <= m
            /\ \E o \in FS!Mkdirs(SubSeq(j.path, 1, n)) :
                o.res = "true" /\ Leaves(o) /\ Becomes(cl, [j EXCEPT !.phase = "begun", !.depth = n])
       \/ j.phase = "begun" /\ ~FS!isDir(SubSeq(j.path, 1, j.depth)) /\ Breaks(cl)

\* A file or an empty directory is taken away.
Takes(q) == dirs' = dirs \ {q} /\ files' = FS!Without(files, {q})

\* Where a call ends that took p away: where the parent is missing by now an object store may make it again.
Ends(cl, p) ==
    /\ \/ Same
       \/ /\ ~FS!exists(Parent(p)) /\ ~FS!UnderFile(Parent(p))
          /\ dirs' = dirs \union Ancestors(p) /\ UNCHANGED files
    /\ Did(cl, "true", {})

\* introduction.atomicity.recursive-delete: the tree is listed, and then one entry after another goes, from below. What is
\* left of it in the end has in it what the other client put there meanwhile.
Deleting(cl) ==
    LET j == jobs[cl]
        here == FS!subtree(j.path)
        gone == j.left \ here
        free == { q \in j.left \ gone : FS!children(q) = {} }
    IN
    /\ j.op = "delete" /\ "delete" \in InSteps /\ j.flag
    /\ \/ /\ j.phase = "called" /\ FS!isDir(j.path) /\ FS!children(j.path) # {}
          /\ Same /\ Becomes(cl, [j EXCEPT !.phase = "begun", !.left = here])
       \/ /\ j.phase = "begun"
          /\ \E q \in free : Takes(q) /\ Becomes(cl, [j EXCEPT !.left = @ \ {q}])
       \/ /\ j.phase = "begun" /\ gone # {} /\ gone # j.left /\ Same
          /\ Becomes(cl, [j EXCEPT !.left = @ \ gone])
       \/ j.phase = "begun" /\ free = {} /\ Ends(cl, j.path)
       \/ j.phase = "begun" /\ j.left # {} /\ (gone # {} \/ here \ j.left # {}) /\ Breaks(cl)

\* Where s comes to be if it is renamed to d.
Target(s, d) ==
    IF FS!isDir(d) /\ ~(RenameRemoveDestIfEmptyDir /\ FS!isDir(s) /\ FS!children(d) = {}) THEN Append(d, Last(s)) ELSE d

\* filesystem.rename.atomic, where it is not: both ends are looked at; an empty directory in whose place a directory is to
\* come is taken away; what is to move is listed, and then copied one entry after another, from above, with the directories
\* above it that are missing, and then taken away one after another, from below.
Moving(cl) ==
    LET j == jobs[cl]
        here == FS!subtree(j.path)
        meddled == j.left \ here # {} \/ here \ j.tree # {}
        \* @type: Seq(Str) => Bool;
        Blocked(q) ==
            LET place == Moved(q, j.path, j.dst) IN
            FS!UnderFile(place) \/ IF FS!isFile(q) THEN FS!isDir(place) ELSE FS!isFile(place)
        \* @type: Seq(Str) => Bool;
        Orphaned(q) == q # j.path /\ ~FS!isDir(Parent(Moved(q, j.path, j.dst)))
        next == { q \in j.left : \A r \in j.left : ~IsAncestor(r, q) }
    IN
    /\ j.op = "rename" /\ "rename" \in InSteps
    /\ \/ /\ j.phase = "called"
          /\ \E o \in FS!Outcomes(CallOf(j)) :
                o.res = "true" /\ ~o.out /\ FS!InBounds(o) /\ <<o.dirs, o.files>> # <<dirs, files>>
          /\ Same
          /\ LET target == Target(j.path, j.dst) IN
             IF FS!isFile(j.path)
             THEN Becomes(cl, [j EXCEPT !.phase = "copying", !.dst = target, !.tree = {j.path}, !.left = {j.path}])
             ELSE Becomes(cl, [j EXCEPT !.phase = IF FS!isDir(j.dst) /\ target = j.dst THEN "clearing" ELSE "listing",
                                        !.dst = target])
       \/ /\ j.phase = "clearing"
          /\ IF FS!isDir(j.dst) /\ FS!children(j.dst) = {} THEN Takes(j.dst) ELSE Same
          /\ Becomes(cl, [j EXCEPT !.phase = "listing"])
       \/ /\ j.phase = "listing" /\ Same
          /\ LET found == IF FS!isDir(j.path) THEN here ELSE {} IN
             Becomes(cl, [j EXCEPT !.phase = IF found = {} THEN "removing" ELSE "copying", !.tree = found, !.left = found])
       \/ j.phase \in {"clearing", "listing"} /\ ~FS!isDir(j.path) /\ Breaks(cl)
       \/ /\ j.phase = "copying"
          /\ \E q \in next :
                LET place == Moved(q, j.path, j.dst)
                    rest == j.left \ {q}
                IN
                /\ IF q \notin here THEN Same
                   ELSE /\ ~Blocked(q) /\ place \in Paths
                        /\ IF FS!isFile(q)
                           THEN files' = FS!With(files, place, files[q]) /\ dirs' = dirs \union Ancestors(place)
                           ELSE dirs' = dirs \union Ancestors(place) \union {place} /\ UNCHANGED files
                /\ Becomes(cl, [j EXCEPT !.phase = IF rest = {} THEN "removing" ELSE "copying",
                                        !.left = IF rest = {} THEN j.tree ELSE rest])
       \/ /\ j.phase = "copying"
          /\ meddled \/ \E q \in next \intersect here : Blocked(q) \/ Orphaned(q)
          /\ Breaks(cl)
       \/ /\ j.phase = "removing"
          /\ \E q \in j.left :
                /\ IF q \in here THEN FS!children(q) = {} /\ Takes(q) ELSE Same
                /\ Becomes(cl, [j EXCEPT !.left = @ \ {q}])
       \* A directory in which another client put something meanwhile stays.
       \/ /\ j.phase = "removing" /\ \A q \in j.left : FS!isDir(q) /\ FS!children(q) # {}
          /\ IF Parent(j.path) = Parent(j.dst) THEN Same /\ Did(cl, "true", {}) ELSE Ends(cl, j.path)
       \/ j.phase = "removing" /\ meddled /\ Breaks(cl)

Step(cl) == AtOnce(cl) \/ LooksFirst(cl) \/ Making(cl) \/ Deleting(cl) \/ Moving(cl)

Init ==
    /\ beginning \in Beginnings
    /\ dirs = {Root} \union (IF beginning \in {2, 3, 4} THEN {A} ELSE {}) \union (IF beginning = 4 THEN {B} ELSE {})
    /\ files = [q \in (IF beginning = 1 THEN {A} ELSE IF beginning \in {3, 4} THEN {AB} ELSE {}) |-> <<>>]
    /\ jobs = [cl \in Clients |-> Idle]
    /\ history = <<>>

Next == \E cl \in Clients : Invoke(cl) \/ Step(cl) \/ Return(cl)

Spec == Init /\ [][Next]_vars

StepsView == vars

\* Every client was answered.
Complete == history # <<>> /\ \A cl \in Clients : jobs[cl].phase = "idle"

(* ----------------------------------------------------------- invariants *)

TypeOK == dirs \subseteq Paths /\ DOMAIN files \subseteq Paths

\* model.filesystem.exclusivity
Disjoint == dirs \intersect DOMAIN files = {}

\* model.filesystem.parent-is-directory
ParentsAreDirs == \A p \in dirs \union DOMAIN files : p # Root => Parent(p) \in dirs

\* introduction.atomicity.create: of those who create a file of one name one alone does, as long as nothing takes it away.
OneCreates ==
    (\A n \in DOMAIN history : history[n].op \notin {"delete", "rename"}) =>
        \A p \in {A, AB} :
            Cardinality({ cl \in Clients : \E n \in DOMAIN history :
                history[n].client = cl /\ history[n].op = "create" /\ history[n].path = p
                /\ \E m \in DOMAIN history :
                    /\ n < m /\ history[m].client = cl /\ history[m].op = "" /\ history[m].res = "ok"
                    /\ \A k \in DOMAIN history : n < k /\ k < m => history[k].client # cl }) <= 1
=============================================================================
