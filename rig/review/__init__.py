"""Two annotators look at what a machine could not decide (Appendix F, step 6).

    run ─ questions ─ session (one name, one order) ─ judgements, one file a name, only ever added to
                                                           │
                              agreement · adjudication ─ rescoring, always beside the scores without review

Everything lies in RUN/review; the ledger is read and never written. What nobody judged stays what it was: a missing
judgement is not a negative one.
"""
