"""The shapes of sentences by which routing tells work from talk. Lower case, without accents."""

from __future__ import annotations

import re

from chatcli.agent.judgement import routing_words


def _begins(*patterns: str) -> re.Pattern[str]:
    return re.compile(f"(?:{'|'.join(patterns)})")


def _whole(*patterns: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{'|'.join(patterns)})[\s.!?]*$")


ODD = re.compile(r"[^\w\s'\",.;:!?()+#%=*-]|_|\n|--|\d[a-z]{2}|(?<=\S)[.:](?=\w)|(?:^|\s)\.\w|#\d|\w\(")
"""What prose has no use for: paths, mentions, code, flags, file names, addresses, tickets."""

CODE_NAME = re.compile(r"\b(?:[a-z]+[A-Z][a-z]+\w*|(?:[A-Z][a-z]+){2,}|[A-Z]{2,}[a-z]+[A-Z]\w*)\b")
"""In the text as it was written: `parseConfig`, `UserService`."""

ONE_IN_CAPITALS = re.compile(r"\b(?:an?|uma?) ([A-ZÀ-Ý][a-zà-ÿ]+)\W*$")
"""In the text as it was written: `what is an Order?` asks of a class."""

GREETING = re.compile(
    r"(?:(?:hi|hello|hey(?: there)?|good (?:morning|afternoon|evening|night)"
    r"|thanks(?: a lot| so much)?(?:,? and)?|thank you(?: so much| very much)?"
    r"|so|well|please|just|quick question|oi|ola|obrigad[oa]|valeu|bom dia|boa (?:tarde|noite)|tudo bem"
    r"|entao|por favor|bem|uma duvida|duvida(?: rapida)?|in (?:simple|plain) (?:words|terms))\b[\s,:!?.-]*)+"
)
"""Courtesy before a question. Alone it may be a yes (`please`), and costs nothing more in the loop."""

ABOUT_THE_MODEL = _whole(
    r"who are you|what can you do|what(?: \w+)? model are you|how are you(?: doing)?|do you speak \w+",
    r"quem e voce|o que (?:voce|vc) (?:faz|sabe fazer|consegue fazer|pode fazer)|como vai(?: voce)?",
    r"(?:voce|vc) fala \w+|(?:me )?conta? uma piada|tell me a joke",
)

ARITHMETIC = _whole(
    r"(?:what(?:'s| is)|how much is|quanto e|qual e) [\d.,]+%? ?"
    r"(?:[*+x-]|times|plus|minus|of|vezes|mais|menos|de) ?[\d.,]+",
)

EXPLAIN = _begins(
    r"(?:(?:can|could|would|will) you (?:please )?)?"
    r"(?:explain|describe|define|tell me(?: about)?)(?: to me)? ",
    r"(?:do you know|i (?:don't|do not|didn't) (?:get|understand)) ",
    r"(?:(?:voce |vc )?(?:pode|poderia|consegue) )?(?:me )?"
    r"(?:explicar?|explique|dizer|diga|falar?|fale|descrever?|descreva) (?:sobre |um pouco sobre )?",
    r"defina |(?:voce|vc) sabe |nao entend[io] ",
)
"""What only asks for an explanation of the rest."""

LEAD = _begins(
    r"(?:what|what's|whats|wat|why|when|who|which)\b",
    r"how (?:does|do|did|is|are|was|were|can|many|much|long|old|big|far|often)\b",
    r"(?:in|on|for) \w+,? what\b|where (?:does the (?:name|word|term)|was \w+ \w+ born)\b",
    r"(?:compare|summary of|meaning of|history of|(?:pros and cons|(?:dis)?advantages|benefits) of)\b",
    r"(?:give me )?(?:an example|examples) of\b|should i (?:learn|choose)\b",
    r"(?:the )?differences? between\b|[\w+#]+ (?:vs|versus) [\w+#]+\W*$",
    r"(?:(?:em|no|na) \w+,? )?(?:o ?que|oq)\b",
    r"(?:por ?que|pq|como|quando|quem|quais|qual|quant[oa]s?|(?:para|pra) que)\b",
    r"(?:compare|resumo d[eoa]s?|resuma|(?:significado|historia|conceito) d[eoa]|existe diferenca)\b",
    r"(?:vantagens|desvantagens|pros e contras|(?:vale a pena|devo) aprender|onde (?:nasceu|surgiu))\b",
    r"(?:(?:qual (?:e )?)?a )?diferencas? entre\b",
)
"""How questions begin."""

OF_A_KIND = _begins(
    r"(?:(?:in|on|for) \w+,? )?(?:what|wat)(?:'s|s| is| are(?= an? )| was|(?= an? ))\b",
    r"(?:(?:em|no|na) \w+,? )?(?:o ?que|oq) e\b",
    r"(?:the )?differences? between\b|(?:(?:qual (?:e )?)?a )?diferencas? entre\b",
    r"how do(?:es)? an? [\w ]+ differ\b",
)
"""They ask what something is: an unknown word behind `a` names a kind, and a thing may stand bare."""

COMPARED = re.compile(r"\b(?:difference|differ|diferenca)s? ?(?:between|from|entre)?\b")

NAMED = _whole(
    r"(?:what(?:'s| is) )?(?:the )?(?:meaning|plural|opposite|capital) of (?:the (?:word|term) )?(?P<of>\w+)",
    r"(?:o que|oq) (?:significa|quer dizer) (?:a (?:palavra|sigla) )?(?P<pt>\w+)",
    r"(?:what|wat) does (?:the (?:word|acronym|term) )?[\"']?(?P<mean>\w+)[\"']? (?:mean|stand for)",
    r"(?:qual (?:e )?)?(?:[oa] )?(?:plural|capital|significado|origem da palavra) d[eoa] (?P<de>\w+)",
    r"how do (?:you|i) (?:say|spell) (?P<say>[\w ]+?)(?: in \w+)?",
    r"como se (?:diz|escreve) (?P<diz>[\w ]+?)(?: em \w+)?",
    r"who (?:invented|discovered|painted|composed) (?:the |an? )?(?P<work>[\w ]+)",
    r"quem (?:inventou|descobriu|pintou|compos) (?:[oa] )?(?P<obra>[\w ]+)",
    r"(?:summary of|resumo d[eo]|resuma) (?:the |[oa] )?"
    r"(?:plot of|book|novel|play|livro|filme|peca|romance) (?P<title>[\w ]+)",
)
"""One word is asked for itself, or one that is known outside whatever it is."""

PERSON = re.compile(
    r"(?i:who (?:is|was|wrote|invented|painted|discovered|founded|composed)|when was|where was"
    r"|quem (?:é|e|foi|escreveu|inventou|pintou|descobriu|fundou|compôs)|quando nasceu|onde nasceu)"
    r"(?: (?i:the|a|an|o|os|as))? [A-ZÀ-Ý]\w+(?: (?i:de|da|do|of|the|van|von))?"
    r"(?: [A-ZÀ-Ý]\w+:?)+(?i: born)?\??$"
)
"""In the text as it was written: two names in capitals are somebody, or a work."""

SPECIFIC = _begins(
    r"(?:do|does|did|has|have|can|should|would|could) (?:i(?! (?:learn|choose))|you|we)\b",
    r"why (?:did|do) (?:i|you|we)\b",
    r"what (?:is|are|was|were) (?:in|on|for|with|from|to)\b",
    r"(?!how\b|como\b).*\b(?:works?|funcionam?)\b",
    r"(?:what|which|que|quais) \w+ (?:exist|existem)\b|(?:por ?que|pq) (?:ha|tem|existem?)\b",
    r"(?:in|em) \w+\W*$|\S+ (?:or|ou) \S+$",
    r"what do(?:es)? (?!git\b)\S+ (?:do|say)\W*$|o que (?:diz|faz|fazem) (?:[oa]s? )?(?!comando\b|git\b)\S+$",
    r"o que (?:tem|ha|eu)\b|como (?:eu|se faz|\w+o)\b",
    r"(?:why|pq|por que|porque|which|qual|quais|how|como)\s+\S+$",
)
"""Those that ask of one's own program, or ask for work, more often than not."""

FILLER = re.compile(
    r"'s\b|\bused (?:for|to)\b|(?<=^how )(?:many|much|long|old|big|far|often)\b|(?<=[a-z] )are there\b"
    r"|(?<=^when )(?:should|would|do|to) ?(?:i|you|we|one)?\b"
    r"|\b(?:should|would) (?:i|one|anyone) (?=learn|choose|prefer|use)"
    r"|(?<=^quando )(?:devo|se deve)\b|(?<=^why )would (?:you|one|anyone)\b"
    r"|\band (?:how|why) does it (?:work|exist|happen)\b"
    r"|\bcomo se eu tivesse \w+ anos\b|\blike i'm (?:five|5)\b"
)
"""Turns that say nothing of the matter; `you` is anybody here."""


def _any_of(terms: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(sorted(terms, key=len, reverse=True))})\b")


TERMS = _any_of(routing_words.TERMS)
UNIQUE_TERMS = _any_of(routing_words.UNIQUE_TERMS)
TOKEN = re.compile(r"[a-z0-9+#]+(?:'[a-z]+)?")
