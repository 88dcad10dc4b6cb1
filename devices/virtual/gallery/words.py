"""Words as a search sees them: one token for a Latin word or number, one for each Chinese character.

With that, the longest known phrase at a position is found the same way in both languages, without a word segmenter.
"""

import re
import tomllib
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

Tokens = tuple[str, ...]

_TOKEN = re.compile(r"[^\W\d_一-鿿]+|\d+|[一-鿿]")


def tokens(text: str) -> Tokens:
    """The tokens of `text`: folded to lower case and NFKC, English plurals reduced, punctuation dropped."""
    folded = unicodedata.normalize("NFKC", text).casefold().replace("'s ", " ").replace("’s ", " ")
    return tuple(_singular(token) for token in _TOKEN.findall(folded))


def is_chinese(token: str) -> bool:
    """True for a Chinese character."""
    return "一" <= token <= "鿿"


def _singular(word: str) -> str:
    # Enough for keywords; a wrong stem does no harm, as queries and keywords are cut alike.
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("ches", "shes", "sses", "xes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What words mean: phrases of a concept, and phrases that ask for nothing."""

    concepts: Mapping[Tokens, str]
    ignored: frozenset[Tokens]

    def concept(self, keyword: str) -> str:
        """The concept that `keyword` names; the keyword itself, folded, when the vocabulary does not have it."""
        phrase = tokens(keyword)
        return self.concepts.get(phrase, " ".join(phrase))


@cache
def load_vocabulary() -> Vocabulary:
    """The vocabulary that comes with the gallery."""
    raw = tomllib.loads((files(__package__) / "vocabulary.toml").read_text(encoding="utf-8"))
    concepts = {tokens(name): concept for concept, names in raw["concepts"].items() for name in names}
    ignored = {tokens(word) for words in raw["ignored"].values() for word in words.split()}
    return Vocabulary(concepts, frozenset(ignored))
