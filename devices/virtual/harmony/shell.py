"""The phone's shell: lists, `&&`, `||`, quotes, `$?` and redirections; hosts send no more. Output and errors are one stream."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field

from devices.virtual.android.syntax import Group, Kind, Script, ShellSyntaxError, Simple, Word, parse
from devices.virtual.harmony.phone import HarmonyPhone

NOT_FOUND = 127


@dataclass(slots=True)
class Call:
    """One command as it was called; what it says is put into `said`."""

    phone: HarmonyPhone
    argv: Sequence[str]
    cwd: str = "/"
    said: bytearray = field(default_factory=bytearray)

    @property
    def arguments(self) -> Sequence[str]:
        """The words after the command's name."""
        return self.argv[1:]

    def say(self, text: str, code: int = 0) -> int:
        """Says `text`, a line end added where none is; returns `code`."""
        if text:
            self.said += (text if text.endswith("\n") else text + "\n").encode("utf-8", "surrogateescape")
        return code

    def unknown(self) -> int:
        """The command exists, these arguments do not: recorded and refused."""
        self.phone.unhandled.append(" ".join(self.argv))
        return self.say(f"{self.argv[0]}: unknown arguments: {' '.join(self.arguments)}", 255)


Command = Callable[[Call], Awaitable[int]]


class Shell:
    """One shell of the phone."""

    def __init__(self, phone: HarmonyPhone, commands: Mapping[str, Command]) -> None:
        self._phone = phone
        self._commands = commands
        self._cwd = "/"
        self._status = 0

    async def run(self, line: str) -> bytes:
        """What a line prints."""
        try:
            return await self._script(parse(line))
        except ShellSyntaxError as error:
            return f"sh: syntax error: {error}\n".encode()

    async def _script(self, script: Script) -> bytes:
        said = b""
        for step in script:
            if (step.operator == "&&" and self._status) or (step.operator == "||" and not self._status):
                continue
            for command in step.commands:
                said += await (self._script(command.script) if isinstance(command, Group) else self._simple(command))
        return said

    async def _simple(self, command: Simple) -> bytes:
        argv = [self._text(word) for word in command.words]
        if argv[:1] == ["cd"]:
            self._cwd, self._status = "".join(argv[1:2]) or "/", 0
            return b""
        call = Call(self._phone, argv, self._cwd)
        work = self._commands.get(argv[0].removeprefix("/system/bin/")) if argv else None
        if work is None:
            self._phone.unhandled.append(" ".join(argv))
            self._status = call.say(f"/bin/sh: {' '.join(argv[:1])}: inaccessible or not found", NOT_FOUND)
            return bytes(call.said)
        self._status = await work(call)
        return self._redirected(command, call)

    def _redirected(self, command: Simple, call: Call) -> bytes:
        """What of a command's output is not sent to a file."""
        for item in command.redirections:
            target = self._text(item.target)
            if target == "/dev/null" and item.descriptor == 1:
                return b""
            if item.mode in (">", ">>") and item.descriptor == 1:
                try:
                    self._phone.files.write(
                        self._phone.files.host(target, self._cwd), bytes(call.said), append=item.mode == ">>"
                    )
                except OSError as error:
                    self._status = 1
                    return f"sh: {target}: {error.strerror}\n".encode()
                return b""
            if item.descriptor == 2 and self._status:
                return b""
        return bytes(call.said)

    def _text(self, word: Word) -> str:
        return "".join(
            piece.text if piece.kind is Kind.TEXT else str(self._status) if piece.text == "?" else "" for piece in word
        )
