"""One file per way to drive a phone; `interface.py` is the contract they all keep."""
