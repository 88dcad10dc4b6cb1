"""Answers of systems that are no phone, or of somebody else's phone, from a file: four forms, told by their shape.

rows     the file as (key of a query, photo names in order): submission, JSON Lines, TREC run
keys     which query a key names: by id, by the file's own id, by album and text
reading  both together: `Answer`s, and everything that did not fit
"""

from rig.predictions.reading import Predictions, read_predictions

__all__ = ["Predictions", "read_predictions"]
