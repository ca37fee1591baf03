"""Contract options, a module for each family of operations. Whoever imports one has them all, in one order."""

from fsconform.model.filesystem.options import attributes as attributes
from fsconform.model.filesystem.options import changes as changes
from fsconform.model.filesystem.options import core as core
from fsconform.model.filesystem.options import listing as listing
from fsconform.model.filesystem.options import metadata as metadata
from fsconform.model.filesystem.options import streams as streams
from fsconform.model.filesystem.options import unjudged as unjudged
from fsconform.model.filesystem.options import writers as writers
