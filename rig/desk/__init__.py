"""At the operator's desk: what can be found out about host, phones and galleries before a night is spent on them."""
