"""Screenshot in, source photos out. Pure: no phone, no ledger."""
