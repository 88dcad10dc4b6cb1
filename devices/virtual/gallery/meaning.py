"""From a query's text to the terms it asks for: keywords, persons, places and times.

The words of the query are matched against the phrases a phone knows, longest first. A phrase may have several senses
("Nice" is a town, "night" a time and a thing): any of them satisfies the term.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from devices.virtual.gallery.dates import When, find_dates
from devices.virtual.gallery.places import Atlas
from devices.virtual.gallery.words import Tokens, Vocabulary, is_chinese, tokens


class Sense(StrEnum):
    """What a phrase can mean."""

    CONCEPT = "concept"
    PERSON = "person"
    PLACE = "place"
    IGNORED = "ignored"


@dataclass(frozen=True, slots=True)
class Term:
    """One thing a query asks for. Without senses and `when` it is a word that the phone does not understand."""

    text: str
    senses: frozenset[tuple[Sense, str]] = frozenset()
    when: When | None = None

    @property
    def is_english(self) -> bool:
        """True when it was said in Latin letters."""
        return not any(is_chinese(character) for character in self.text)


@dataclass(slots=True)
class Lexicon:
    """All phrases a phone knows, with their senses."""

    phrases: dict[Tokens, set[tuple[Sense, str]]] = field(default_factory=dict)
    longest: int = 1
    """Tokens in the longest phrase."""

    def add(self, phrase: Tokens, sense: Sense, key: str) -> None:
        """`phrase` can mean `key` in the sense `sense`."""
        if phrase:
            self.phrases.setdefault(phrase, set()).add((sense, key))
            self.longest = max(self.longest, len(phrase))


def build_lexicon(vocabulary: Vocabulary, atlas: Atlas, keywords: Iterable[str], people: Mapping[str, str]) -> Lexicon:
    """The phrases of the vocabulary, the atlas, the photos' own keywords and the people (name to key)."""
    lexicon = Lexicon()
    for phrase in vocabulary.ignored:
        lexicon.add(phrase, Sense.IGNORED, "")
    for phrase, concept in vocabulary.concepts.items():
        lexicon.add(phrase, Sense.CONCEPT, concept)
    for keyword in keywords:
        lexicon.add(tokens(keyword), Sense.CONCEPT, vocabulary.concept(keyword))
    for place in atlas.places:
        for name in place.names:
            lexicon.add(tokens(name), Sense.PLACE, place.key)
    for name, key in people.items():
        lexicon.add(tokens(name), Sense.PERSON, key)
    return lexicon


def terms(text: str, lexicon: Lexicon, now: datetime) -> tuple[Term, ...]:
    """What `text` asks for, each thing once, in the order: times, then words as they stand."""
    dates, rest = find_dates(text, now)
    found = [Term(when.text, _concepts(tokens(when.text), lexicon), when) for when in dates]
    words, position, unknown = tokens(rest), 0, list[str]()
    while position < len(words):
        phrase = _longest_phrase(words, position, lexicon)
        if phrase is None:
            unknown.append(words[position])
            position += 1
            continue
        found += _unknown_term(unknown)
        unknown = []
        senses = frozenset(sense for sense in lexicon.phrases[phrase] if sense[0] is not Sense.IGNORED)
        if senses:
            found.append(Term(_joined(phrase), senses))
        position += len(phrase)
    found += _unknown_term(unknown)
    return tuple(dict.fromkeys(found))


def _concepts(phrase: Tokens, lexicon: Lexicon) -> frozenset[tuple[Sense, str]]:
    return frozenset(sense for sense in lexicon.phrases.get(phrase, ()) if sense[0] is Sense.CONCEPT)


def _longest_phrase(words: Tokens, position: int, lexicon: Lexicon) -> Tokens | None:
    for length in range(min(lexicon.longest, len(words) - position), 0, -1):
        phrase = words[position : position + length]
        if phrase in lexicon.phrases:
            return phrase
    return None


def _unknown_term(words: list[str]) -> list[Term]:
    # A single Chinese character left over between known words is a particle, not a thing.
    text = _joined(tuple(words))
    return [] if not text or (len(text) == 1 and is_chinese(text)) else [Term(text)]


def _joined(phrase: Tokens) -> str:
    return ("" if any(is_chinese(token) for token in phrase) else " ").join(phrase)
