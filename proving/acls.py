"""Access control lists: their entries as text, and what becomes of them. Written from the Javadoc of FileSystem.

Where that is silent, this is the model of POSIX ACLs: entries for one user or group need a mask, which shows as the
group's bits of the permission; the owner's, the group's and the others' own entries are always there.
"""

from __future__ import annotations

from fsconform.proving.keeping_store import Kept

Name = tuple[str, str]
"""The type of an entry, one of user, group, mask, other, and whose it is; the empty text for the base ones."""

Entries = dict[Name, int]

TYPES = ("user", "group", "mask", "other")
OWNER, OWNING, MASK, OTHER = ("user", ""), ("group", ""), ("mask", ""), ("other", "")
BASE = (OWNER, OWNING, OTHER)

_LETTERS = "rwx"


def parse(texts: tuple[str, ...], with_permissions: bool) -> tuple[Entries, Entries]:
    """The access and the default entries of some texts. Raises ValueError for what is no entry."""
    access: Entries = {}
    default: Entries = {}
    for text in texts:
        parts = text.split(":")
        into = default if parts[0] == "default" else access
        kind, *rest = parts[1:] if parts[0] == "default" else parts
        name, given = (rest[0] if rest else ""), rest[1:]
        if kind not in TYPES or len(given) > 1 or bool(given and given[0]) != with_permissions:
            raise ValueError(f"{text!r} is no entry")
        if kind in ("mask", "other") and name:
            raise ValueError(f"{text!r} names somebody")
        into[(kind, name)] = _bits(given[0]) if with_permissions else 0
    return access, default


def access_of(kept: Kept) -> Entries:
    """All access entries of a path, the base ones included."""
    owner, group, other = kept.permission >> 6 & 7, kept.permission >> 3 & 7, kept.permission & 7
    return {OWNER: owner, OWNING: kept.owning if kept.access else group, OTHER: other, **kept.access}


def put_access(kept: Kept, entries: Entries, masked: bool) -> None:
    """Make these the access entries of a path; the mask is computed unless ``masked``. Raises ValueError."""
    if not all(base in entries for base in BASE):
        raise ValueError("the entries of the owner, the group and the others are required")
    entries = with_mask(entries, masked)
    kept.access = {name: bits for name, bits in entries.items() if name not in BASE}
    kept.owning = entries[OWNING]
    middle = entries.get(MASK, entries[OWNING])
    kept.permission = kept.permission & ~0o777 | entries[OWNER] << 6 | middle << 3 | entries[OTHER]


def put_default(kept: Kept, entries: Entries, masked: bool) -> None:
    """Make these the default entries of a directory; base ones that are missing are those of its access ACL."""
    if entries:
        entries = {**{name: bits for name, bits in access_of(kept).items() if name in BASE}, **entries}
        entries = with_mask(entries, masked)
    kept.default = entries


def with_mask(entries: Entries, masked: bool) -> Entries:
    """The entries with a mask if they need one: the given one, or all that any group or named user may do."""
    named = [bits for name, bits in entries.items() if name[1]]
    if masked and MASK in entries:
        return entries
    kept = {name: bits for name, bits in entries.items() if name != MASK}
    if named:
        mask = kept[OWNING]
        for bits in named:
            mask |= bits
        kept[MASK] = mask
    return kept


def shown(kept: Kept) -> tuple[str, ...]:
    """The entries as texts in their order: of the access ACL those that the permission does not tell, then the rest."""
    access = {name: bits for name, bits in access_of(kept).items() if name not in (OWNER, OTHER, MASK)}
    return (*_texts(access if kept.access else {}, ""), *_texts(kept.default, "default:"))


def _texts(entries: Entries, scope: str) -> list[str]:
    ordered = sorted(entries.items(), key=lambda each: (TYPES.index(each[0][0]), each[0][1]))
    return [f"{scope}{kind}:{name}:{_letters(bits)}" for (kind, name), bits in ordered]


def _bits(text: str) -> int:
    if len(text) != 3 or any(given not in (letter, "-") for given, letter in zip(text, _LETTERS, strict=True)):
        raise ValueError(f"{text!r} is no permission")
    return sum(4 >> at for at, given in enumerate(text) if given != "-")


def _letters(bits: int) -> str:
    return "".join(letter if bits & 4 >> at else "-" for at, letter in enumerate(_LETTERS))
