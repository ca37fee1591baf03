------------------------------ MODULE Namespace ------------------------------
(***************************************************************************)
(* The filesystem of the specification as sets and functions, and what     *)
(* each call may answer and leave behind under a contract:                 *)
(*   FS = (Directories, Files, Symlinks).                                  *)
(* Sources: model.md; filesystem.md; rename.md. docs/errata.md says how    *)
(* contradictory parts are read.                                           *)
(*                                                                         *)
(* A step is one call. Outcomes(call) is all that is allowed. Where more   *)
(* than one precondition fails, the errors of each are allowed. `act`      *)
(* records the call and its outcome, so that a trace can be replayed on a  *)
(* store. Symbolic links are never followed here.                          *)
(***************************************************************************)
EXTENDS Paths

CONSTANTS
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
    \* A seeded fault, to prove that the properties find one; "" for none.
    \* @type: Str;
    Fault

VARIABLES
    \* @type: Set(Seq(Str));
    dirs,
    \* @type: Seq(Str) -> Seq(Str);
    files,
    \* @type: Seq(Str) -> Seq(Str);
    links,
    \* @type: { op: Str, path: Seq(Str), dst: Seq(Str), data: Seq(Str), flag: Bool, res: Str, dev: Bool, seen: Set(<<Str, Str, Int>>), read: Seq(Str) };
    act

vars == <<dirs, files, links, act>>

\* @type: Set(Seq(Str)) => Set(Seq(Str));
Longer(S) == { Append(c, x) : c \in S, x \in Chunks }

\* Files of up to three chunks.
\* @type: () => Set(Seq(Str));
Contents ==
    LET C1 == IF MaxLength >= 1 THEN Longer({<<>>}) ELSE {} IN
    LET C2 == IF MaxLength >= 2 THEN Longer(C1) ELSE {} IN
    LET C3 == IF MaxLength >= 3 THEN Longer(C2) ELSE {} IN
    {<<>>} \union C1 \union C2 \union C3

\* What one call writes.
\* @type: () => Set(Seq(Str));
Writes == { c \in Contents : Len(c) <= 1 }

\* The length of a file; a trace that was observed says how long its chunks are.
\* @type: Seq(Str) => Int;
Bytes(c) == Len(c)

(* ---------------------------------------------------------------- errors *)

FNF == "FileNotFoundException"
FAE == "FileAlreadyExistsException"
PND == "ParentNotDirectoryException"
IOE == "IOException"
UOE == "UnsupportedOperationException"
RTE == "RuntimeException"

\* Who raises one of these raises an IOException.
IOErrors == {FNF, FAE, PND, IOE, "PathIsNotEmptyDirectoryException"}
RuntimeErrors == {UOE, RTE}
Errors == IOErrors \union RuntimeErrors

\* Where errors need not be of the most precise class, any IOException will do.
Relaxed == IF SupportsStrictExceptions THEN {} ELSE IOErrors
BelowFiles == IF RefusesPathsBelowFiles THEN IOErrors ELSE {}

(* --------------------------------------------------------------- queries *)

isDir(p)    == p \in dirs
isFile(p)   == p \in DOMAIN files
isLink(p)   == p \in DOMAIN links
Nodes       == dirs \union DOMAIN files \union DOMAIN links
exists(p)   == p \in Nodes
children(p) == { q \in Nodes : Len(q) = Len(p) + 1 /\ IsPrefix(p, q) }
subtree(p)  == { q \in Nodes : IsPrefix(p, q) }

\* An ancestor is there and no directory.
UnderFile(p) == \E q \in Ancestors(p) : isFile(q) \/ isLink(q)
\* The parent is missing, and no file is in the way.
NoParent(p)  == p # Root /\ ~UnderFile(p) /\ ~isDir(Parent(p))

\* @type: (Seq(Str), Str) => <<Str, Str, Int>>;
Status(p, name) ==
    <<name, IF isDir(p) THEN "dir" ELSE IF isFile(p) THEN "file" ELSE "link", IF isFile(p) THEN Bytes(files[p]) ELSE 0>>

(* -------------------------------------------------------------- outcomes *)

\* `dev` breaks a SHOULD. `out` leads to what FS can't be: the model ends there.
\* @type: (Str, Set(Seq(Str)), Seq(Str) -> Seq(Str), Seq(Str) -> Seq(Str)) => { res: Str, dev: Bool, out: Bool, seen: Set(<<Str, Str, Int>>), read: Seq(Str), dirs: Set(Seq(Str)), files: Seq(Str) -> Seq(Str), links: Seq(Str) -> Seq(Str) };
Done(res, d, f, l) ==
    [res |-> res, dev |-> FALSE, out |-> FALSE, seen |-> {}, read |-> <<>>, dirs |-> d, files |-> f, links |-> l]

Same(res) == Done(res, dirs, files, links)
Outside(res) == [Same(res) EXCEPT !.out = TRUE]

\* Refused, with one of these; the others of `worse` break a SHOULD.
Stays(results, worse) ==
    { Same(r) : r \in results } \union { [Same(r) EXCEPT !.dev = TRUE] : r \in worse \ results }

\* A failed precondition SHOULD NOT be told by a RuntimeException.
Refused(results) == Stays(results, RuntimeErrors)

\* @type: (Seq(Str) -> Seq(Str), Set(Seq(Str))) => (Seq(Str) -> Seq(Str));
Without(f, gone) == [q \in DOMAIN f \ gone |-> f[q]]

\* @type: (Seq(Str) -> Seq(Str), Seq(Str), Seq(Str)) => (Seq(Str) -> Seq(Str));
With(f, p, x) == [q \in DOMAIN f \union {p} |-> IF q = p THEN x ELSE f[q]]

\* s, and all below it, becomes d, in the place of what was at d.
MovedTo(res, s, d) ==
    LET moved == subtree(s)
        gone == moved \union { q \in Nodes : IsPrefix(d, q) }
        \* @type: (Seq(Str) -> Seq(Str)) => (Seq(Str) -> Seq(Str));
        Carry(f) == [q \in (DOMAIN f \ gone) \union { Moved(r, s, d) : r \in moved \intersect DOMAIN f }
                        |-> IF IsPrefix(d, q) THEN f[Moved(q, d, s)] ELSE f[q]]
    IN Done(res,
            (dirs \ gone) \union { Moved(q, s, d) : q \in moved \intersect dirs } \union Ancestors(d),
            Carry(files), Carry(links))

(* ---------------------------------------------------- mkdirs and create *)

Mkdirs(p) ==
    IF UnderFile(p) \/ isFile(p) \/ isLink(p)
    THEN IF Fault = "mkdirs takes the file away and refuses"
         THEN { Done(FAE, dirs, Without(files, {p}), links) }
         ELSE Refused({FAE, PND} \union Relaxed)
    ELSE { Done("true", dirs \union Ancestors(p) \union {p}, files, links) }

\* What is at p, and below it, gives way to a file.
Written(p, c) ==
    Done("ok", (dirs \ subtree(p)) \union Ancestors(p), With(Without(files, subtree(p)), p, c), Without(links, subtree(p)))

OnDirectory(p, c, overwrite) ==
    IF p = Root THEN Refused(IOErrors)
    ELSE Refused({FAE} \union (IF SupportsStrictExceptions THEN {} ELSE IOErrors))
         \union (IF overwrite /\ CreateOverwritesDirectory THEN { Written(p, c) } ELSE {})

Create(p, c, overwrite) ==
    CASE isFile(p) \/ isLink(p) ->
            IF overwrite /\ isFile(p) THEN { Written(p, c) } ELSE Refused({FAE} \union Relaxed)
      [] isDir(p) -> OnDirectory(p, c, overwrite)
      [] UnderFile(p) ->
            Refused({FAE, PND} \union Relaxed) \union (IF CreateFileUnderFileAllowed THEN { Outside("ok") } ELSE {})
      [] OTHER ->
            IF Fault = "create forgets the parents"
            THEN { Done("ok", dirs, With(files, p, c), links) }
            ELSE { Written(p, c) }

CreateNonRecursive(p, c, overwrite) ==
    CASE isFile(p) \/ isLink(p) ->
            IF overwrite /\ isFile(p) THEN { Written(p, c) } ELSE Refused({FAE} \union Relaxed)
      [] isDir(p) -> OnDirectory(p, c, overwrite)
      [] UnderFile(p) ->
            LET near == isFile(Parent(p)) \/ isLink(Parent(p)) IN
            Refused({FAE, PND} \union Relaxed \union (IF near THEN {} ELSE {FNF}))
            \union (IF CreateFileUnderFileAllowed /\ (near \/ NonRecursiveMakesParents) THEN { Outside("ok") } ELSE {})
      [] NoParent(p) ->
            Refused(IOErrors) \union (IF NonRecursiveMakesParents THEN { Written(p, c) } ELSE {})
      [] OTHER -> { Written(p, c) }

(* ---------------------------------------------------------------- append *)

\* A store without append SHOULD say so by UnsupportedOperationException.
Unsupported == IF SupportsAppend THEN {} ELSE {UOE}
UnsupportedWorse == IF SupportsAppend THEN {} ELSE IOErrors

AppendTo(p, c) ==
    CASE ~exists(p) ->
            Stays({FNF} \union Relaxed \union Unsupported \union (IF UnderFile(p) THEN BelowFiles ELSE {}),
                  RuntimeErrors \union UnsupportedWorse)
      [] isDir(p) \/ isLink(p) -> Stays(IOErrors \union Unsupported, RuntimeErrors \union UnsupportedWorse)
      [] OTHER ->
            IF SupportsAppend
            THEN { Done("ok", dirs, [files EXCEPT ![p] = @ \o c], links) }
            ELSE Stays(Unsupported, RuntimeErrors \union UnsupportedWorse)

(* ---------------------------------------------------------------- delete *)

Delete(p, recursive) ==
    LET gone == IF Fault = "delete leaves what is below" THEN {p} ELSE subtree(p)
        rid == IF p = Root THEN subtree(p) \ {Root} ELSE gone
        deleted == Done("true", dirs \ rid, Without(files, rid), Without(links, rid))
    IN
    CASE ~exists(p) -> Stays({"false"} \union (IF UnderFile(p) THEN BelowFiles ELSE {}), {"true"})
      [] p = Root ->
            IF recursive THEN { deleted } \union { Same(r) : r \in {"false"} \union IOErrors }
            ELSE IF children(p) = {} THEN Stays({"true"}, {"false"})
            ELSE Refused({"false"} \union IOErrors)
      [] isDir(p) /\ children(p) # {} /\ ~recursive -> Refused(IOErrors)
      [] OTHER -> { deleted }

(* ---------------------------------------------------------------- rename *)

FalseOnFailure == IF RenameReturnsFalseOnFailure THEN {"false"} ELSE {}
IfDestExists   == IF RenameReturnsFalseIfDestExists THEN {"false"} ELSE IOErrors

\* Each precondition that fails gives the results that tell of it.
SourceMissing(s) ==
    (IF RenameReturnsFalseIfSourceMissing THEN {"false"} ELSE {FNF} \union Relaxed)
    \union (IF UnderFile(s) THEN BelowFiles ELSE {})

NoDestParent == IF RenameCreatesDestDirs THEN {} ELSE IOErrors \union FalseOnFailure

OnFile == IF RenameOverwritesDest THEN {} ELSE IfDestExists

\* True if s can be merged into d: only directories meet something of their name there, and that is a directory too.
\* A source that is below the destination goes first.
Mergeable(s, d) ==
    \A q \in subtree(s) \ {s} :
        LET met == Moved(q, s, d)
        IN exists(met) /\ met \notin subtree(s) => isDir(q) /\ isDir(met)

Merged(s, d) ==
    LET moved == subtree(s) \ {s}
        \* @type: (Seq(Str) -> Seq(Str)) => (Seq(Str) -> Seq(Str));
        Carry(f) == [q \in (DOMAIN f \ moved) \union { Moved(r, s, d) : r \in moved \intersect DOMAIN f }
                        |-> IF q \in DOMAIN f \ moved THEN f[q] ELSE f[Moved(q, d, s)]]
    IN Done("true", (dirs \ subtree(s)) \union { Moved(q, s, d) : q \in moved \intersect dirs },
            Carry(files), Carry(links))

Rename(s, d) ==
    LET t == IF isDir(d) /\ s # d /\ s # Root THEN Append(d, Last(s)) ELSE d
        missing == ~exists(s)
        below   == IsAncestor(s, t)
        under   == t = d /\ UnderFile(d)
        orphan  == t = d /\ NoParent(d)
        itself  == t = s
        onFile  == ~itself /\ (isFile(t) \/ isLink(t))
        onDir   == ~itself /\ isDir(t)
        failed  == (IF missing THEN {"missing"} ELSE {}) \union (IF below THEN {"below"} ELSE {})
                   \union (IF under THEN {"under"} ELSE {}) \union (IF orphan THEN {"orphan"} ELSE {})
                   \union (IF onFile THEN {"on file"} ELSE {}) \union (IF onDir THEN {"on directory"} ELSE {})
        fromDir == isDir(s)
        refused ==
            (IF missing THEN SourceMissing(s) ELSE {})
            \union (IF below \/ under THEN IOErrors \union FalseOnFailure ELSE {})
            \union (IF orphan THEN NoDestParent ELSE {})
            \union (IF onFile THEN (IF fromDir \/ (t # d /\ ~RenameOverwritesDest) THEN IfDestExists ELSE IF t = d THEN OnFile ELSE IfDestExists) ELSE {})
            \union (IF onDir THEN IfDestExists ELSE {})
    IN
    CASE s = Root /\ d = Root -> { Same(r) : r \in {"true", "false"} \union IOErrors }
      [] s = Root /\ d # Root -> Refused(IOErrors \union FalseOnFailure)
      [] s # Root /\ s = d /\ ~missing ->
            IF fromDir THEN { Same(r) : r \in {"true", "false"} \union IOErrors } ELSE { Same("true") }
      [] s # Root /\ (s # d \/ missing) /\ failed # {} ->
            Refused(refused)
            \union (IF failed = {"orphan"} /\ RenameCreatesDestDirs THEN { MovedTo("true", s, t) } ELSE {})
            \union (IF failed = {"on file"} /\ ~fromDir /\ RenameOverwritesDest THEN { MovedTo("true", s, t) } ELSE {})
            \union (IF failed = {"on directory"} /\ fromDir /\ ~RenameReturnsFalseIfDestExists
                       /\ Mergeable(s, t)
                    THEN { Merged(s, t) } ELSE {})
            \union (IF failed = {"under"} /\ ~(isFile(Parent(d)) \/ isLink(Parent(d))) /\ RenameCreatesDestDirs
                       /\ CreateFileUnderFileAllowed
                    THEN { Outside("true") } ELSE {})
      [] OTHER ->
            IF itself
            THEN IF fromDir THEN { Same(r) : r \in {"true", "false"} \union IOErrors } ELSE { Same("true") }
            ELSE IF fromDir /\ isDir(d) /\ children(d) = {} /\ RenameRemoveDestIfEmptyDir
                 THEN { MovedTo("true", s, d) }
                 ELSE IF Fault = "rename leaves the directory"
                      THEN { [MovedTo("true", s, t) EXCEPT !.dirs = @ \union dirs] }
                      ELSE { MovedTo("true", s, t) }

\* The destination is taken as it is given, and every failure raises.
RenameWith(s, d, overwrite) ==
    LET source ==
            (IF exists(s) THEN {} ELSE {FNF} \union Relaxed \union (IF UnderFile(s) THEN BelowFiles ELSE {}))
            \union (IF s = Root THEN IOErrors ELSE {})
        near == d # Root /\ (isFile(Parent(d)) \/ isLink(Parent(d)))
        target ==
            (IF IsAncestor(s, d) \/ d = Root THEN IOErrors ELSE {})
            \union (IF UnderFile(d) THEN IOErrors ELSE {})
            \union (IF NoParent(d) \/ (UnderFile(d) /\ ~near) THEN {FNF} \union Relaxed ELSE {})
            \union (IF (isFile(d) \/ isLink(d)) /\ ~overwrite THEN {FAE} \union Relaxed ELSE {})
            \union (IF (isFile(d) \/ isLink(d)) /\ isDir(s) THEN IOErrors ELSE {})
            \union (IF isDir(d) /\ (isFile(s) \/ isLink(s)) THEN IOErrors ELSE {})
            \union (IF isDir(d) /\ ~(isFile(s) \/ isLink(s)) /\ ~overwrite THEN {FAE} \union Relaxed ELSE {})
            \union (IF isDir(d) /\ ~(isFile(s) \/ isLink(s)) /\ children(d) # {} THEN IOErrors ELSE {})
        failed == source \union target \union (IF s = d THEN {FAE} \union Relaxed ELSE {})
        \* Only a proposal has a rename to itself refused: to accept it, with no effect, and other errors are deviations.
        worse == RuntimeErrors \union (IF s = d THEN IOErrors ELSE {})
        accepted == { [Same("ok") EXCEPT !.dev = TRUE] : x \in IF s = d /\ source \union target = {} THEN {s} ELSE {} }
    IN IF failed # {} THEN Stays(failed, worse) \union accepted ELSE { MovedTo("ok", s, d) }

(* --------------------------------------------------------------- queries *)

Open(p) ==
    IF isFile(p) THEN { [Same("read") EXCEPT !.read = files[p]] } ELSE Refused(IOErrors)

GetFileStatus(p) ==
    IF exists(p) THEN { [Same("status") EXCEPT !.seen = { Status(p, "") }] } ELSE Refused({FNF})

Exists(p) == { Same(IF exists(p) THEN "true" ELSE "false") }

ListStatus(p) ==
    CASE isDir(p) -> { [Same("list") EXCEPT !.seen = { Status(q, Last(q)) : q \in children(p) }] }
      [] isFile(p) \/ isLink(p) -> { [Same("list") EXCEPT !.seen = { Status(p, "") }] }
      [] OTHER -> Refused({FNF} \union (IF UnderFile(p) THEN BelowFiles ELSE {}))

(* ----------------------------------------------------------------- links *)

NoLinks == IF SupportsSymlinks THEN {} ELSE {UOE}

CreateSymlink(target, p) ==
    CASE exists(p) -> Stays({FAE} \union NoLinks, Errors)
      [] UnderFile(p) -> Stays({PND} \union NoLinks, Errors)
      [] OTHER ->
            IF SupportsSymlinks
            THEN { Done("ok", dirs \union Ancestors(p), files, With(links, p, target)) }
            ELSE Stays(NoLinks, {})

(* ----------------------------------------------------------------- steps *)

\* @type: (Str, Seq(Str), Seq(Str), Seq(Str), Bool) => { op: Str, path: Seq(Str), dst: Seq(Str), data: Seq(Str), flag: Bool };
Call(op, p, d, c, f) == [op |-> op, path |-> p, dst |-> d, data |-> c, flag |-> f]

Calls ==
    { Call(op, p, Root, <<>>, FALSE) : op \in {"mkdirs", "open", "getFileStatus", "exists", "listStatus"}, p \in Paths }
    \union { Call(op, p, Root, c, f) : op \in {"create", "createNonRecursive"}, p \in Paths, c \in Writes, f \in BOOLEAN }
    \union { Call("append", p, Root, c, FALSE) : p \in Paths, c \in Writes }
    \union { Call("delete", p, Root, <<>>, f) : p \in Paths, f \in BOOLEAN }
    \union { Call("rename", s, d, <<>>, FALSE) : s \in Paths, d \in Paths }
    \union { Call("rename with options", s, d, <<>>, f) : s \in Paths, d \in Paths, f \in BOOLEAN }
    \union { Call("createSymlink", p, g, <<>>, FALSE) : p \in Paths, g \in IF SupportsSymlinks THEN Paths ELSE {Root} }

\* @type: { op: Str, path: Seq(Str), dst: Seq(Str), data: Seq(Str), flag: Bool } => Set({ res: Str, dev: Bool, out: Bool, seen: Set(<<Str, Str, Int>>), read: Seq(Str), dirs: Set(Seq(Str)), files: Seq(Str) -> Seq(Str), links: Seq(Str) -> Seq(Str) });
Outcomes(c) ==
    CASE c.op = "mkdirs" -> Mkdirs(c.path)
      [] c.op = "create" -> Create(c.path, c.data, c.flag)
      [] c.op = "createNonRecursive" -> CreateNonRecursive(c.path, c.data, c.flag)
      [] c.op = "append" -> AppendTo(c.path, c.data)
      [] c.op = "delete" -> Delete(c.path, c.flag)
      [] c.op = "rename" -> Rename(c.path, c.dst)
      [] c.op = "rename with options" -> RenameWith(c.path, c.dst, c.flag)
      [] c.op = "open" -> Open(c.path)
      [] c.op = "getFileStatus" -> GetFileStatus(c.path)
      [] c.op = "exists" -> Exists(c.path)
      [] c.op = "listStatus" -> ListStatus(c.path)
      [] OTHER -> CreateSymlink(c.dst, c.path)

\* The finite model has no longer paths and files.
\* @type: { res: Str, dev: Bool, out: Bool, seen: Set(<<Str, Str, Int>>), read: Seq(Str), dirs: Set(Seq(Str)), files: Seq(Str) -> Seq(Str), links: Seq(Str) -> Seq(Str) } => Bool;
InBounds(o) ==
    /\ o.dirs \subseteq Paths
    /\ DOMAIN o.files \subseteq Paths
    /\ DOMAIN o.links \subseteq Paths
    /\ \A p \in DOMAIN o.files : Len(o.files[p]) <= MaxLength

Init ==
    /\ dirs = {Root}
    /\ files = [q \in {} |-> <<>>]
    /\ links = [q \in {} |-> Root]
    /\ act = [op |-> "init", path |-> Root, dst |-> Root, data |-> <<>>, flag |-> FALSE,
              res |-> "ok", dev |-> FALSE, seen |-> {}, read |-> <<>>]

\* @type: ({ op: Str, path: Seq(Str), dst: Seq(Str), data: Seq(Str), flag: Bool }, { res: Str, dev: Bool, out: Bool, seen: Set(<<Str, Str, Int>>), read: Seq(Str), dirs: Set(Seq(Str)), files: Seq(Str) -> Seq(Str), links: Seq(Str) -> Seq(Str) }) => Bool;
Step(c, o) ==
    /\ ~o.out
    /\ InBounds(o)
    /\ dirs' = o.dirs
    /\ files' = o.files
    /\ links' = o.links
    /\ act' = [op |-> c.op, path |-> c.path, dst |-> c.dst, data |-> c.data, flag |-> c.flag,
               res |-> o.res, dev |-> o.dev, seen |-> o.seen, read |-> o.read]

\* A disjunct for each operation, of each of which a symbolic checker makes a transition. Calls and Outcomes say the same;
\* that TLC generates as many states as it prints outcomes holds them together.
Next ==
    \/ \E p \in Paths : \E o \in Mkdirs(p) : Step(Call("mkdirs", p, Root, <<>>, FALSE), o)
    \/ \E p \in Paths, x \in Writes, f \in BOOLEAN : \E o \in Create(p, x, f) : Step(Call("create", p, Root, x, f), o)
    \/ \E p \in Paths, x \in Writes, f \in BOOLEAN :
            \E o \in CreateNonRecursive(p, x, f) : Step(Call("createNonRecursive", p, Root, x, f), o)
    \/ \E p \in Paths, x \in Writes : \E o \in AppendTo(p, x) : Step(Call("append", p, Root, x, FALSE), o)
    \/ \E p \in Paths, f \in BOOLEAN : \E o \in Delete(p, f) : Step(Call("delete", p, Root, <<>>, f), o)
    \/ \E s \in Paths, d \in Paths : \E o \in Rename(s, d) : Step(Call("rename", s, d, <<>>, FALSE), o)
    \/ \E s \in Paths, d \in Paths, f \in BOOLEAN :
            \E o \in RenameWith(s, d, f) : Step(Call("rename with options", s, d, <<>>, f), o)
    \/ \E p \in Paths : \E o \in Open(p) : Step(Call("open", p, Root, <<>>, FALSE), o)
    \/ \E p \in Paths : \E o \in GetFileStatus(p) : Step(Call("getFileStatus", p, Root, <<>>, FALSE), o)
    \/ \E p \in Paths : \E o \in Exists(p) : Step(Call("exists", p, Root, <<>>, FALSE), o)
    \/ \E p \in Paths : \E o \in ListStatus(p) : Step(Call("listStatus", p, Root, <<>>, FALSE), o)
    \/ \E p \in Paths, g \in IF SupportsSymlinks THEN Paths ELSE {Root} :
            \E o \in CreateSymlink(g, p) : Step(Call("createSymlink", p, g, <<>>, FALSE), o)

Spec == Init /\ [][Next]_vars

\* Two states that differ in `act` only are one state of the filesystem.
FsView == <<dirs, files, links>>

(* ------------------------------------------------------------ invariants *)

TypeOK ==
    /\ dirs \subseteq Paths
    /\ DOMAIN files \subseteq Paths
    /\ DOMAIN links \subseteq Paths
    /\ \A p \in DOMAIN files : files[p] \in Contents
    /\ \A p \in DOMAIN links : links[p] \in Paths

\* model.filesystem.root-exists
RootExists == Root \in dirs

\* model.filesystem.parent-is-directory
ParentsAreDirs == \A p \in Nodes : p # Root => Parent(p) \in dirs

\* model.filesystem.exclusivity
Disjoint ==
    /\ dirs \intersect DOMAIN files = {}
    /\ dirs \intersect DOMAIN links = {}
    /\ DOMAIN files \intersect DOMAIN links = {}

Inv == TypeOK /\ RootExists /\ ParentsAreDirs /\ Disjoint

\* Every state of the invariant, reached or not: if no step leads out of it from any of them, it holds of programs of any
\* length.
IndInit ==
    /\ dirs \in SUBSET Paths
    /\ \E F \in SUBSET Paths : files \in [F -> Contents]
    /\ \E L \in SUBSET Paths : links \in [L -> Paths]
    /\ act = [op |-> "init", path |-> Root, dst |-> Root, data |-> <<>>, flag |-> FALSE,
              res |-> "ok", dev |-> FALSE, seen |-> {}, read |-> <<>>]
    /\ Inv

IndSpec == IndInit /\ [][Next]_vars

(* ----------------------------------------------------- safety of actions *)

Unchanged == UNCHANGED <<dirs, files, links>>
Touched(p) == IsPrefix(act'.path, p) \/ (act'.dst # Root /\ IsPrefix(act'.dst, p)) \/ IsAncestor(p, act'.path) \/ IsAncestor(p, act'.dst)

\* filesystem.refused-changes-nothing
FailureIsNoOp == [][act'.res \in Errors \union {"false"} => Unchanged]_vars

QueriesChangeNothing == [][act'.op \in {"open", "getFileStatus", "exists", "listStatus"} => Unchanged]_vars

\* filesystem.delete.post.recursive: nothing is left of what was deleted, and all else stays.
DeleteDeletes ==
    [][act'.op = "delete" /\ act'.res = "true" /\ ~act'.dev /\ act'.path # Root =>
        /\ \A q \in Nodes : IsPrefix(act'.path, q) => q \notin dirs' \union DOMAIN files' \union DOMAIN links'
        /\ \A q \in Nodes : ~IsPrefix(act'.path, q) => q \in dirs' \union DOMAIN files' \union DOMAIN links']_vars

\* filesystem.rename.post.file, filesystem.rename.post.directory: no bytes are made or lost, unless a file was to be replaced.
RenameKeepsBytes ==
    [][act'.op = "rename" /\ ~RenameOverwritesDest => Cardinality(DOMAIN files') = Cardinality(DOMAIN files)]_vars

\* filesystem.rename.post.file, filesystem.rename.post.directory: what was moved is no longer where it was. A directory
\* that is merged with one above it may leave one of its children there.
RenameMoves ==
    [][act'.op \in {"rename", "rename with options"} /\ ~Unchanged
            /\ (act'.path # Root => ~IsAncestor(Append(act'.dst, Last(act'.path)), act'.path)) =>
        act'.path \notin dirs' \union DOMAIN files' \union DOMAIN links']_vars

\* What lies neither at, above nor below a path of the call stays as it is.
OthersStay ==
    [][act'.path # Root /\ (act'.op \in {"rename", "rename with options"} => act'.dst # Root) =>
        \A q \in DOMAIN files : ~Touched(q) => q \in DOMAIN files' /\ files'[q] = files[q]]_vars
=============================================================================
