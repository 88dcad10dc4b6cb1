"""`python -m rig` is `rig`."""

from rig.cli import main

main()
