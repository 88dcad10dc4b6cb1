"""PhotoBench in and out: the released files become queries, and answers become a submission.

The release's documents and its files name their fields differently and neither gives a query an id; what is read here is
told by its shape, and everything odd is reported rather than repaired in silence.
"""

from rig.photobench.names import Names, fit_to_album
from rig.photobench.oddities import Oddity, OddityKind
from rig.photobench.release import Release, read_queries, read_release
from rig.photobench.sidecars import look_beside

__all__ = ["Names", "Oddity", "OddityKind", "Release", "fit_to_album", "look_beside", "read_queries", "read_release"]
