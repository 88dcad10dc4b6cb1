"""Result crops for a publication, only on request: cut from the grid, one fixed size, encoded anew, without a name or metadata.

A crop still shows a photo of the album, and whatever the gallery draws over it. Whoever asks for crops answers for that.
"""

import io
from collections.abc import Iterator, Sequence
from random import Random

import numpy as np
from PIL import Image as Pil

from matching.decode import load_image
from matching.model import Image, UnreadableImage
from reports.publication import CropStrip
from rig.analysis import answered_searches
from rig.errors import RigError
from rig.metrics.returned import why_unanswered
from rig.model import Language
from rig.publish.gathering import Measured
from rig.publish.study import Study
from rig.run_sides import questions_of

SIDE_PX = 112
EACH = 6
"""Results a strip."""
QUALITY = 80
_INSET = 0.06
"""Cut off every edge: rounded corners and gaps are a gallery's own."""


def crop_strips(phones: Sequence[Measured], labels: Sequence[str], study: Study, queries: int) -> tuple[CropStrip, ...]:
    """The first results of `queries` queries that every phone answered, drawn by the study's key. RigError without pictures."""
    strips: list[CropStrip] = []
    for language in Language:
        asked = [(label, phone) for label, phone in zip(labels, phones, strict=True) if language in phone.sides]
        if asked:
            strips += _of_language(asked, language, study, queries)
    return tuple(strips)


def _of_language(
    asked: Sequence[tuple[str, Measured]], language: Language, study: Study, queries: int
) -> Iterator[CropStrip]:  # fmt: skip
    answered = [
        {answer.query for answer in phone.sides[language].answers if why_unanswered(answer) is None} for _, phone in asked
    ]
    common = set.intersection(*answered)
    known = [query for query in questions_of(asked[0][1].run).queries if query.id in common and query.relevant]
    for query in Random(study.seal(language)).sample(known, min(queries, len(known))):
        for label, phone in sorted(asked, key=lambda pair: pair[0]):
            pictures = tuple(_pictures(phone, query.id, language))
            yield CropStrip(label, language, query.text.get(language, query.id), pictures)


def _pictures(phone: Measured, query: str, language: Language) -> Iterator[bytes]:
    run = phone.run
    for trial in (trial for trial in run.ledger.trials() if trial.letter == phone.letter):
        for key, search in answered_searches(run, trial).items():
            if (key.query, key.language, key.repeat) != (query, language, 1):
                continue
            screens = run.ledger.screens(search.id)
            for place in run.ledger.placed(search.id)[:EACH]:
                try:
                    screen = load_image(run.folder / screens[place.screen].path)
                except (UnreadableImage, IndexError) as error:
                    raise RigError(f"{run.folder}: a screen of query {query} cannot be read; leave out --with-crops") from error
                left, top, right, bottom = place.box
                yield anonymous_crop(screen[top:bottom, left:right])


def anonymous_crop(image: Image) -> bytes:
    """A JPEG of `SIDE_PX` square whose bytes come from these pixels alone."""
    height, width = image.shape[:2]
    side = int(min(height, width) * (1 - 2 * _INSET))
    top, left = (height - side) // 2, (width - side) // 2
    square = Pil.fromarray(np.ascontiguousarray(image[top : top + side, left : left + side])).convert("RGB")
    file = io.BytesIO()
    square.resize((SIDE_PX, SIDE_PX), Pil.Resampling.LANCZOS).save(file, "JPEG", quality=QUALITY)
    return file.getvalue()
