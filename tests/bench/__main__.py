"""`make bench`: every benchmark in turn, each beside its baseline. A part that cannot run here says why and is passed over."""

import subprocess
import sys

PARTS = ("cells", "matching", "trials", "driving", "publishing")


def main() -> None:
    """Runs the parts in processes of their own; exits 1 when one missed a goal."""
    missed = []
    for part in PARTS:
        sys.stdout.write(f"\n== {part}\n")
        sys.stdout.flush()
        if subprocess.run([sys.executable, "-m", f"tests.bench.{part}"], check=False).returncode:
            missed.append(part)
    if missed:
        raise SystemExit(f"missed a goal: {', '.join(missed)}")


if __name__ == "__main__":
    main()
