"""Twins of the quirks of S3A in the real root of a bucket, and their shadows."""

from __future__ import annotations

from fsconform.proving.full_store import FullStore
from fsconform.proving.quirks.base import shadow, twin
from fsconform.proving.store import Node

_LETTER = "s3a-root/rename-into-a-directory-loses-the-first-letter"


@twin(_LETTER, root=True)
class _LosesALetter(FullStore):
    def rename(self, src: str, dst: str) -> bool:
        name, into = src[1:], self.locate(dst)[1]
        if "/" not in name and dst != "/" and self.holds(src, True) and self.holds(dst, False):
            node = self.nodes[self.locate(src)[1]]
            self.remove_subtree(self.locate(src)[1])
            left = f"?{name[1:]}" if ord(name[0]) > 0xFFFF else name[1:]
            if left:
                self.arrive(f"{into}/{left}", node)
            return True
        return super().rename(src, dst)

    def arrive(self, key: str, node: Node) -> None:
        """Put the file where what is left of its name says, over a file that is there."""
        if key in self.nodes:
            self.remove_subtree(key)
        self.attach(key, key, node)


@shadow(_LETTER, "first-letter-lost-and-emptied", "the file loses its bytes as well")
class _Emptied(_LosesALetter):
    def arrive(self, key: str, node: Node) -> None:
        super().arrive(key, Node(b""))


@shadow(_LETTER, "first-letter-lost-and-short-names-too", "a file with a name of two letters is lost as well")
class _ShortToo(_LosesALetter):
    def arrive(self, key: str, node: Node) -> None:
        if len(key.rpartition("/")[2]) > 1:
            super().arrive(key, node)


@shadow(_LETTER, "first-letter-of-directories-lost", "a directory loses the first letter of its name, too")
class _OfDirectories(_LosesALetter):
    def rename(self, src: str, dst: str) -> bool:
        name, directory = src[1:], self.holds(src, False) and self.holds(dst, False)
        if directory and src != dst and "/" not in name and len(name) > 1 and dst != "/":
            return super().rename(src, f"{dst}/{name[1:]}")
        return super().rename(src, dst)


_INTO_ROOT = "s3a-root/rename-into-the-root-returns-false"


@twin(_INTO_ROOT, root=True)
class _RefusesTheRoot(FullStore):
    def rename(self, src: str, dst: str) -> bool:
        if dst == "/" and src != "/":
            self.locate(src)
            return self.refused(src)
        return super().rename(src, dst)

    def refused(self, src: str) -> bool:
        """Refuse by false."""
        return False


@shadow(_INTO_ROOT, "refused-rename-into-the-root-deletes", "the source is deleted")
class _Deletes(_RefusesTheRoot):
    def refused(self, src: str) -> bool:
        if self.exists(src):
            self.delete(src, True)
        return False


@shadow(_INTO_ROOT, "refused-rename-into-the-root-copies", "the source is copied into the root all the same")
class _Copies(_RefusesTheRoot):
    def refused(self, src: str) -> bool:
        name = src.rpartition("/")[2]
        if self.holds(src, True) and not self.exists(f"/{name}"):
            self.create(f"/{name}", self.open(src), False)
        return False
