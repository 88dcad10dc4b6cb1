"""Scores of answers against ground truth: pure functions of `Query` and `Answer`, with no phone and no ledger.

    Query, Answer ─ returned ─┬─ sets       precision, recall, F1 of one query
                              ├─ ranking    Recall@K, NDCG@K of one query
                              └─ rejection  A, B, C, D over queries
    scoring.score ─ tables, coverage         the same by album, source type and dimension

One decision runs through all of it: a score is a `Bounded` — a value with the lowest and highest it could be, given what
the screens left open — and what is undefined is None, never 0 and never NaN.
"""
