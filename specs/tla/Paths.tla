-------------------------------- MODULE Paths --------------------------------
(***************************************************************************)
(* Paths as sequences of names, up to a depth. The root is <<>>.           *)
(* Source: model.md, "Paths and Path Elements".                            *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets

CONSTANTS
    \* @type: Set(Str);
    Names,
    \* The longest path has so many names: 1, 2 or 3.
    \* @type: Int;
    MaxDepth

\* @type: () => Seq(Str);
Root == <<>>

\* @type: Set(Seq(Str)) => Set(Seq(Str));
Extend(S) == { Append(p, n) : p \in S, n \in Names }

\* @type: () => Set(Seq(Str));
Paths ==
    LET L1 == Extend({Root}) IN
    LET L2 == IF MaxDepth >= 2 THEN Extend(L1) ELSE {} IN
    LET L3 == IF MaxDepth >= 3 THEN Extend(L2) ELSE {} IN
    {Root} \union L1 \union L2 \union L3

\* True of p and of all that lies below it.
\* @type: (Seq(Str), Seq(Str)) => Bool;
IsPrefix(p, q) == Len(p) <= Len(q) /\ SubSeq(q, 1, Len(p)) = p

\* @type: (Seq(Str), Seq(Str)) => Bool;
IsAncestor(p, q) == Len(p) < Len(q) /\ IsPrefix(p, q)

\* @type: Seq(Str) => Seq(Str);
Parent(p) == SubSeq(p, 1, Len(p) - 1)

\* @type: Seq(Str) => Str;
Last(p) == p[Len(p)]

\* The proper ancestors, the root among them.
\* @type: Seq(Str) => Set(Seq(Str));
Ancestors(p) == { SubSeq(p, 1, n) : n \in { m \in 0 .. MaxDepth : m < Len(p) } }

\* Where q, which is at or below s, comes to be if s becomes d.
\* @type: (Seq(Str), Seq(Str), Seq(Str)) => Seq(Str);
Moved(q, s, d) == d \o SubSeq(q, Len(s) + 1, Len(q))
=============================================================================
