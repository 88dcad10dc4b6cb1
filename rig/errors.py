"""What can go wrong, told apart by what happens next.

    RigError               the operator puts it right           exit 2
      Incomplete           the run ended with gaps               exit 3
      InfrastructureDown   no healthy phone, disk or host        exit 4
      LockedByAnother      somebody else holds the run or phone  exit 5
      GateFailed           a gate the user asked for failed      exit 1

Anything else that reaches the command line is a bug and exits 70.
"""

from enum import IntEnum


class ExitCode(IntEnum):
    """The exit codes of every command."""

    COMPLETE = 0
    GATE_FAILED = 1
    USAGE = 2
    PARTIAL = 3
    INFRASTRUCTURE = 4
    LOCKED = 5
    BUG = 70


class RigError(Exception):
    """The operator can put this right. The message says whose, doing what, expected, found, and what to do next."""

    exit_code: ExitCode = ExitCode.USAGE


class GateFailed(RigError):
    """A gate given by the user failed."""

    exit_code = ExitCode.GATE_FAILED


class Incomplete(RigError):
    """The run ended, everything recorded is kept, and something is missing."""

    exit_code = ExitCode.PARTIAL


class InfrastructureDown(RigError):
    """Nothing can go on: no healthy phone, no disk, no adb."""

    exit_code = ExitCode.INFRASTRUCTURE


class LockedByAnother(RigError):
    """Another process holds what this command needs."""

    exit_code = ExitCode.LOCKED
