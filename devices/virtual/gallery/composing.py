"""What a composing keyboard makes of typed text."""

import re

_LETTERS = re.compile(r"[A-Za-z]+")
_SYLLABLE = re.compile(r"[^aeiouv]*[aeiouv]+(?:ng?(?![aeiouv]))?|.+", re.IGNORECASE)


def composed(text: str) -> str:
    """`text` as a pinyin keyboard leaves it in the field: Latin letters are taken for syllables and set apart (sun'se't)."""
    return _LETTERS.sub(lambda match: "'".join(_SYLLABLE.findall(match[0])), text)
