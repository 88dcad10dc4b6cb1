"""Two systems over the same queries: what changed, how sure that is, and whether it is worse than allowed.

pairing    the queries that both sides answered, and why the others are left out
measuring  one metric: old, new, difference, interval, test, effect
comparing  the declared family with Holm, slices with Benjamini-Hochberg, noise floor, non-inferiority
gates      what a vendor's CI asks for
"""
