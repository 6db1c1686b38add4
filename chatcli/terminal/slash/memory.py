"""/memory: what chatcli remembers beyond this session, to look at, change, forget, import and export."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

import msgspec

from chatcli.gate.screen import one_line
from chatcli.i18n import _, ngettext
from chatcli.memory.consent import read_consent, write_consent
from chatcli.memory.digest import project_name
from chatcli.memory.document import parse
from chatcli.memory.fact import EVERYWHERE, Fact
from chatcli.memory.importing import FILES, read_memory
from chatcli.memory.vectors import available
from chatcli.session.files import storage_errors, write_durably
from chatcli.terminal.cells import behind, fill
from chatcli.terminal.learning import learn_after_run, learn_now
from chatcli.terminal.slash.command import Command
from chatcli.terminal.slash.target import ask_target, named_path, shown_path

if TYPE_CHECKING:
    from chatcli.terminal.loop import Repl

_LISTED = 20
_FOUND = 10
_REFUSED_SHOWN = 5


async def _memory(repl: Repl, text: str) -> None:
    word, _space, rest = text.partition(" ")
    action = _ACTIONS.get(word or "list")
    if action is None:
        repl.tell(_("There is /memory {actions}").format(actions=" | ".join(_ACTIONS)), "warning")
        return
    await action(repl, rest.strip())
    repl.conversation.memories.tell_news()


async def _list(repl: Repl, text: str) -> None:
    facts = await asyncio.to_thread(repl.conversation.memory.facts)
    shown = facts if text == "all" else facts[-_LISTED:]
    _print(repl, shown)
    if not facts:
        repl.tell(_("Nothing is remembered yet. /memory add TEXT does it."))
        folder = repl.conversation.memory.folder
        if any((folder / name).exists() for name in FILES):
            repl.tell(_("An earlier chatcli kept facts here: /memory import {folder}").format(folder=folder))
    elif len(shown) < len(facts):
        older = len(facts) - len(shown)
        repl.tell(
            ngettext("{n} older one: /memory list all", "{n} older ones: /memory list all", older).format(
                n=older
            )
        )


async def _search(repl: Repl, text: str) -> None:
    if not text:
        repl.tell(_("For what? /memory search WORDS"), "warning")
        return
    found = await repl.conversation.memories.search(text, _FOUND)
    _print(repl, found)
    if not found:
        repl.tell(_("Nothing is remembered that has to do with it."))


async def _show(repl: Repl, text: str) -> None:
    fact = await _fact(repl, text)
    if fact is None:
        return
    rows = {
        _("category"): fact.category,
        _("tags"): " ".join(f"#{tag}" for tag in fact.tags),
        _("holds for"): fact.scope or _("everywhere"),
        _("source"): _source(fact),
        _("your words"): fact.quote,
        _("session"): fact.session,
        _("confidence"): f"{fact.confidence:.0%}",
        _("noted"): fact.created[:16].replace("T", " "),
        _("changed"): fact.changed[:16].replace("T", " "),
    }
    columns = repl.screen.columns
    lines = ["", *fill(one_line(fact.text), columns)]
    for label, value in rows.items():
        if value:
            lines += behind(f"  {label}: ", fill(one_line(value), columns - len(label) - 4))
    repl.screen.print(lines)


async def _add(repl: Repl, text: str) -> None:
    """As a line of MEMORY.md is read: `[category] text #tag`."""
    entries = parse(text).entries
    if not entries:
        repl.tell(_("What? /memory add [category] TEXT #tag"), "warning")
        return
    conversation = repl.conversation
    drafts = [
        Fact(
            text=entry.text,
            category=entry.category or "general",
            tags=entry.tags,
            scope="" if entry.category in (None, *EVERYWHERE) else conversation.memories.scope,
            session=conversation.session.id,
        )
        for entry in entries
    ]
    _print(repl, await asyncio.to_thread(conversation.memory.add, drafts))


async def _edit(repl: Repl, text: str) -> None:
    fact_id, _space, words = text.partition(" ")
    memory = repl.conversation.memory
    if words.strip():
        _print(repl, [await asyncio.to_thread(memory.change, fact_id, words)])
        return
    path = await asyncio.to_thread(memory.write_document)
    repl.tell(
        _("Edit {path} as you like: your changes are read when the memory is next used.").format(path=path)
    )
    repl.tell(_("One fact: /memory edit ID TEXT"))


async def _forget(repl: Repl, text: str) -> None:
    found = [fact for word in text.split() if (fact := await _fact(repl, word))]
    if not text:
        repl.tell(_("Which? /memory forget ID"), "warning")
    if not found:
        return
    _print(repl, found)
    question = ngettext("Forget it for good?", "Forget these {n} for good?", len(found)).format(n=len(found))
    if await repl.confirm(question):
        await asyncio.to_thread(repl.conversation.memory.forget, [fact.id for fact in found])
        if repl.conversation.memory.news:  # a copy still has it, which is told next
            repl.tell(_("Forgotten. What a session has sent stays in its journal."))
            return
        repl.tell(
            _("Forgotten. Its text is gone from the disk; what a session has sent stays in its journal.")
        )


async def _undo(repl: Repl, _text: str) -> None:
    gone = await asyncio.to_thread(repl.conversation.memory.forget_last_batch)
    _print(repl, gone)
    if gone:
        repl.tell(
            ngettext("{n} fact is taken back.", "{n} facts are taken back.", len(gone)).format(n=len(gone))
        )
    else:
        repl.tell(_("Nothing was learnt or imported that could be taken back."))


async def _learn(repl: Repl, text: str) -> None:
    folder = repl.conversation.memory.folder
    if text in ("on", "off"):
        write_consent(folder, text == "on")
        repl.tell(_learning(repl))
        if text == "on" and not repl.screen.busy:
            repl.start_task(learn_after_run(repl))  # what made the question come
    elif text:
        repl.tell("/memory learn [on | off]", "warning")
    elif repl.screen.busy:
        repl.tell(_("Learning has to wait: Ctrl-C cancels what runs."), "warning")
    else:
        repl.start_task(_learn_now(repl))


async def _learn_now(repl: Repl) -> None:
    if not await learn_now(repl):
        repl.tell(_("There is nothing new to learn from what you said."))


async def _import(repl: Repl, text: str) -> None:
    if not text:
        repl.tell(_("What? /memory import FILE or FOLDER"), "warning")
        return
    path = named_path(repl, text)
    memory = repl.conversation.memory
    found = await asyncio.to_thread(read_memory, path, f"import {os.urandom(4).hex()}")
    before = await asyncio.to_thread(memory.count)
    await asyncio.to_thread(memory.add, found.facts)
    new = await asyncio.to_thread(memory.count) - before
    repl.tell(
        ngettext(
            "{n} fact is new. /memory undo takes it back.",
            "{n} facts are new. /memory undo takes them back.",
            new,
        ).format(n=new)
    )
    await repl.conversation.memories.settle()
    for why in found.refused[:_REFUSED_SHOWN]:
        repl.tell(_("left out: {why}").format(why=one_line(why)), "warning")
    if (others := len(found.refused) - _REFUSED_SHOWN) > 0:
        repl.tell(_("… {n} more").format(n=others), "warning")


async def _export(repl: Repl, text: str) -> None:
    if not text:
        repl.tell(_("Where to? /memory export FILE"), "warning")
        return
    path = await ask_target(repl, text, "chatcli-memory.json")
    if path is None:
        return
    facts = await asyncio.to_thread(repl.conversation.memory.facts)
    data = msgspec.json.format(msgspec.json.encode({"facts": facts}), indent=2)
    with storage_errors(path):
        write_durably(path, data)
    repl.tell(
        ngettext("{n} fact in {path}", "{n} facts in {path}", len(facts)).format(
            n=len(facts), path=shown_path(path)
        )
    )


async def _where(repl: Repl, _text: str) -> None:
    conversation = repl.conversation
    memory, settings = conversation.memory, conversation.settings
    facts = await asyncio.to_thread(memory.count)
    by_meaning = _("words and meaning") if available() else _("words alone (chatcli[memory] adds meaning)")
    lines = [
        _("Folder: {folder}").format(folder=memory.folder),
        _("To read and edit: {path}").format(path=memory.document),
        _("This project: {folder}").format(folder=conversation.memories.scope),
        ngettext("{n} fact", "{n} facts", facts).format(n=facts),
        _("Mode: {mode} (/config memory)").format(mode=settings.memory_mode),
        _("Recall by {means}").format(means=by_meaning),
        _learning(repl),
    ]
    repl.screen.print(["", *(row for line in lines for row in fill(line, repl.screen.columns))])


def _learning(repl: Repl) -> str:
    conversation = repl.conversation
    said = {"on": True, "off": False}.get(conversation.settings.memory_learn)
    learns = read_consent(conversation.memory.folder) if said is None else said
    if learns is None:
        return _("Learning from what you say: you were not asked yet")
    return _("Learning from what you say: on") if learns else _("Learning from what you say: off")


async def _fact(repl: Repl, fact_id: str) -> Fact | None:
    fact = await asyncio.to_thread(repl.conversation.memory.get, fact_id.lower()) if fact_id else None
    if fact is None:
        repl.tell(_("There is no fact {id}.").format(id=one_line(fact_id) or "?"), "warning")
    return fact


def _print(repl: Repl, facts: Sequence[Fact]) -> None:
    if facts:
        columns = repl.screen.columns
        repl.screen.print(["", *(row for fact in facts for row in fact_lines(fact, columns))])


def fact_lines(fact: Fact, columns: int) -> list[str]:
    """The id and the whole text, then what is known of it on one line."""
    notes = [fact.category, *(f"#{tag}" for tag in fact.tags)]
    notes += [project_name(fact.scope)] if fact.scope else []
    notes += [_source(fact)] if fact.said_by != "user" else []
    notes.append(fact.changed[:10])
    indent = " " * (len(fact.id) + 2)
    return [
        *behind(f"{fact.id}  ", fill(one_line(fact.text), columns - len(indent))),
        *behind(indent, fill(one_line(" · ".join(notes)), columns - len(indent))),
    ]


def _source(fact: Fact) -> str:
    match fact.said_by:
        case "user":
            return _("you")
        case "import":
            return _("imported")
        case "model":
            source = _("learnt from your words") if fact.quote else _("noted by the model")
            return source + ", " + _("after text from outside") if fact.outside else source


_ACTIONS: dict[str, Callable[[Repl, str], Awaitable[None]]] = {
    "list": _list,
    "search": _search,
    "show": _show,
    "add": _add,
    "edit": _edit,
    "forget": _forget,
    "undo": _undo,
    "learn": _learn,
    "import": _import,
    "export": _export,
    "where": _where,
}

COMMANDS = (
    Command(
        name="memory",
        arguments=f"[{' | '.join(_ACTIONS)}]",
        help=lambda: _("what is remembered beyond this session"),
        run=_memory,
        words=lambda _repl: _ACTIONS,
        while_busy=True,
    ),
)
