"""What the guide understands: one row a kind of request, patterns in English and Portuguese.

Rows are tried in order; the first pattern that fits the whole request wins. The pattern language
is described in `chatcli.providers.offline.patterns`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import Struct

from chatcli.i18n import language as screen_language
from chatcli.providers.offline.draft import Call
from chatcli.providers.offline.patterns import match_any
from chatcli.providers.offline.plans import find, look, talk, work
from chatcli.providers.offline.situation import Situation

Plan = Callable[[Situation, Mapping[str, str]], str | list[Call]]


class Intent(Struct, frozen=True, kw_only=True):
    """`same` are patterns that are spelled alike in both languages."""

    name: str
    plan: Plan
    en: tuple[str, ...] = ()
    pt: tuple[str, ...] = ()
    same: tuple[str, ...] = ()


class Recognised(Struct, frozen=True):
    intent: Intent
    slots: Mapping[str, str]
    language: str


INTENTS = (
    Intent(
        name="hello",
        plan=talk.hello,
        en=("(hi|hello|hey|good morning|good afternoon|good evening) [there|chatcli]",),
        pt=("(oi|ola|bom dia|boa tarde|boa noite) [chatcli]",),
    ),
    Intent(
        name="folder",
        plan=look.folder,
        en=(
            "(what is|what's|whats) (here|in here|in this folder|in this directory|in the current folder)",
            "(list|show) [me] [the] (files|folder) [here|in this folder|in this directory]",
        ),
        pt=(
            "(o que ha|o que tem|o que existe) (aqui|nesta pasta|neste diretorio|na pasta atual|nessa pasta)",
            "(liste|listar|mostre) [os] (arquivos|a pasta) [daqui|desta pasta]",
        ),
        same=("ls",),
    ),
    Intent(
        name="lines",
        plan=look.lines,
        en=("(show|read) [me] [the] lines <n> (to|-|and) <m> of <path>",),
        pt=("(mostre|leia) [as] linhas <n> (a|ate|-|e) <m> (de|do|da) <path>",),
    ),
    Intent(
        name="todos",
        plan=find.todos,
        en=("(list|show|find) [me] [all] [the] todos",),
        pt=("(liste|mostre|ache) [todos] [os] todos",),
    ),
    Intent(
        name="changed",
        plan=work.changed,
        en=("what [has|have] changed", "(show|show me) [the] (changes|diff)"),
        pt=("o que (mudou|foi mudado|foi alterado)", "mostre [as] (mudancas|alteracoes)"),
        same=("git status", "git diff"),
    ),
    Intent(
        name="history",
        plan=work.history,
        en=("[show] [me] [the] (last|recent|latest) commits",),
        pt=("[mostre] [os] ultimos commits",),
        same=("git log",),
    ),
    Intent(
        name="replace",
        plan=work.replace,
        en=("(replace|change) <before> (by|with|to) <after> in <path>",),
        pt=("(troque|substitua|mude) <before> (por|para) <after> (em|no|na) <path>",),
    ),
    Intent(
        name="create",
        plan=work.create,
        en=("create [a|the] [new] [file] <path> with [the] [text|content] <text>",),
        pt=("crie [um|o] [arquivo] <path> com [o] [texto|conteudo] <text>",),
    ),
    Intent(
        name="find",
        plan=find.find,
        en=(
            "(find|search for|search|look for|grep) <text> in <path>",
            "(search for|search|look for|grep) <text>",
        ),
        pt=("(procure|busque|ache) <text> (em|no|na) <path>", "(procure|busque|ache) <text>"),
    ),
    Intent(
        name="where",
        plan=find.where,
        en=("(where is|where's|where are) <name>",),
        pt=("onde (esta|fica|estao|ficam) <name>",),
    ),
    Intent(
        name="show",
        plan=look.show,
        en=("(show|open|read|cat|display|print) [me] [the] [file|contents of] <path>",),
        pt=("(mostre|mostra|abra|leia|exiba) [me] [o] [arquivo|conteudo de] <path>",),
    ),
    Intent(
        name="run",
        plan=work.run,
        en=("run [the] [command] <command>", "execute [the] [command] <command>"),
        pt=("(rode|execute|roda) [o] [comando] <command>",),
    ),
    Intent(
        name="thanks", plan=talk.thanks, en=("(thanks|thank you|thx)",), pt=("(obrigado|obrigada|valeu)",)
    ),
    Intent(
        name="help",
        plan=talk.help,
        en=("help", "what can you do"),
        pt=("ajuda", "o que voce (pode|sabe) fazer"),
    ),
)


def recognise(question: str) -> Recognised | None:
    """The first row that fits, what was named in it, and the language in which it was asked."""
    for intent in INTENTS:
        for language, patterns in (("en", intent.en), ("pt_BR", intent.pt), (screen_language(), intent.same)):
            if (slots := match_any(patterns, question)) is not None:
                return Recognised(intent, slots, language)
    return None
