"""The phone's shell: runs what `syntax` read, with the commands of `commands`."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from devices.virtual.android.call import NOT_FOUND, Call, Command, FixedInput, Input, Session, Sink, encode
from devices.virtual.android.phone import AndroidPhone
from devices.virtual.android.syntax import Group, Kind, Redirection, Script, ShellSyntaxError, Simple, Step, Word, parse

GLOB = "*?["


@dataclass(frozen=True, slots=True)
class Streams:
    """Where a command reads and writes."""

    stdin: Input
    out: Sink
    err: Sink


class Shell:
    """One shell of the phone: a line, or lines one after the other."""

    def __init__(self, phone: AndroidPhone, commands: Mapping[str, Command], session: Session | None = None) -> None:
        self._phone = phone
        self._commands = commands
        self._session = session or Session()

    @property
    def exited(self) -> bool:
        """True after `exit`."""
        return self._session.exited

    async def run(self, text: str, streams: Streams) -> int:
        """Runs a script; returns its exit code."""
        try:
            script = parse(text)
        except ShellSyntaxError as error:
            await streams.err(encode(f"/system/bin/sh: syntax error: {error}\n"))
            return 1
        return await self._script(script, streams)

    async def _script(self, script: Script, streams: Streams) -> int:
        for step in script:
            status = self._session.status
            if (step.operator == "&&" and status) or (step.operator == "||" and not status):
                continue
            self._session.status = await self._pipeline(step, streams)
            if self._session.exited:
                break
        return self._session.status

    async def _pipeline(self, step: Step, streams: Streams) -> int:
        """The commands one after the other, each reading what the one before wrote; the last one's exit code."""
        stdin = streams.stdin
        for command in step.commands[:-1]:
            written = bytearray()
            await self._command(command, Streams(stdin, _into(written), streams.err))
            stdin = FixedInput(bytes(written))
        return await self._command(step.commands[-1], replace(streams, stdin=stdin))

    async def _command(self, command: Simple | Group, streams: Streams) -> int:
        try:
            redirected = [(item, await self._one(item.target, streams)) for item in command.redirections]
            streams, files = self._redirect(redirected, streams)
        except OSError as error:
            await streams.err(encode(f"/system/bin/sh: can't open {error.filename}: {error.strerror}\n"))
            return 1
        if isinstance(command, Group):
            status = await self._script(command.script, streams)
        else:
            status = await self._simple(command, streams)
        try:
            for name, data in files:
                self._phone.files.write(name, bytes(data), cwd=self._session.cwd, append=True)
        except OSError as error:
            await streams.err(encode(f"/system/bin/sh: write error: {error.strerror}\n"))
            return 1
        return status

    def _redirect(
        self, redirected: Sequence[tuple[Redirection, str]], streams: Streams
    ) -> tuple[Streams, list[tuple[str, bytearray]]]:
        """The streams after redirection, and what has to be written to files once the command has ended."""
        files: list[tuple[str, bytearray]] = []
        cwd = self._session.cwd
        for item, target in redirected:
            if item.mode == "<":
                streams = replace(streams, stdin=FixedInput(self._phone.files.read(target, cwd)))
                continue
            if item.mode == ">&":
                sink = streams.err if target == "2" else streams.out
            elif target == "/dev/null":
                sink = _nowhere
            else:
                self._phone.files.write(target, b"", cwd=cwd, append=item.mode == ">>")
                files.append((target, bytearray()))
                sink = _into(files[-1][1])
            streams = replace(streams, err=sink) if item.descriptor == 2 else replace(streams, out=sink)
        return streams, files

    async def _simple(self, command: Simple, streams: Streams) -> int:
        assigned = {name: await self._one(word, streams) for name, word in command.assignments}
        argv = [part for word in command.words for part in await self._expand(word, streams)]
        if not argv:
            self._session.variables.update(assigned)
            return 0
        call = Call(self._phone, argv, self._session, streams.stdin, streams.out, streams.err, assigned)
        work = self._commands.get(argv[0].removeprefix("/system/bin/"))
        if work is None:
            self._phone.unhandled.append(" ".join(argv))
            return await call.complain(f"/system/bin/sh: {argv[0]}: inaccessible or not found", NOT_FOUND)
        return await work(call)

    async def _one(self, word: Word, streams: Streams) -> str:
        return "".join([await self._value(piece.kind, piece.text, streams) for piece in word])

    async def _expand(self, word: Word, streams: Streams) -> list[str]:
        """The arguments that a word becomes: variables filled in, unquoted ones split, patterns matched."""
        arguments = [""]
        pattern = started = False
        for piece in word:
            value = await self._value(piece.kind, piece.text, streams)
            if piece.quoted or piece.kind is Kind.TEXT:
                started = True
                arguments[-1] += value
                pattern |= not piece.quoted and any(char in GLOB for char in value)
            elif parts := value.split():
                started = True
                arguments[-1] += parts[0]
                arguments += parts[1:]
        if not started:
            return []
        if pattern:
            call = Call(self._phone, (), self._session, streams.stdin, streams.out, streams.err)
            return [found for argument in arguments for found in (call.matches(argument) or [argument])]
        return arguments

    async def _value(self, kind: Kind, text: str, streams: Streams) -> str:
        if kind is Kind.TEXT:
            return text
        if kind is Kind.VARIABLE:
            return str(self._session.status) if text == "?" else self._session.variables.get(text, "")
        written = bytearray()
        await Shell(self._phone, self._commands, self._session).run(text, replace(streams, out=_into(written)))
        return written.decode("utf-8", "surrogateescape").rstrip("\n")


def _into(buffer: bytearray) -> Sink:
    async def write(data: bytes) -> None:
        buffer.extend(data)
        await asyncio.sleep(0)

    return write


async def _nowhere(_data: bytes) -> None:
    return None
