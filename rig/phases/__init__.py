"""The phases of a trial that need the phone: reset → import → index → query. Each works at a `Bench`."""
