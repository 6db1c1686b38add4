"""The shapes of sentences by which routing tells work from talk. Lower case, without accents."""

from __future__ import annotations

import re


def _begins(*patterns: str) -> re.Pattern[str]:
    return re.compile(f"(?:{'|'.join(patterns)})")


_ASK_TO_EXPLAIN = (
    r"(?:can|could|would|will) you (?:please )?(?:explain|tell me|describe)\b",
    r"(?:voce )?(?:pode|poderia|consegue) (?:me )?(?:explicar|dizer|falar|descrever)\b",
)

GREETING = re.compile(
    r"(?:(?:hi|hello|hey|thanks(?:,? and)?|ok|okay|so|well|please|just|quick question"
    r"|oi|ola|obrigad[oa]|valeu|bom dia|boa tarde|boa noite|e ai|entao|por favor|bem"
    r"|uma duvida|duvida(?: rapida)?)\b[\s,:!.-]*)+"
)

LEAD = _begins(
    *_ASK_TO_EXPLAIN,
    r"(?:what|what's|whats|why|when|who|whose|which|is there|are there)\b",
    r"how (?:does|do|did|is|are|was|were|can|come|many|much|old|long|big|far|often)\b",
    r"(?:explain|describe|define|compare|summari[sz]e|summary of|meaning of|pros and cons of)\b",
    r"tell me (?:about|what|why|how|the difference)\b",
    r"give me (?:an example|examples) of\b",
    r"(?:the )?difference between\b",
    r"(?:o que|oque|por que|porque|pq|como|quando|quem|quais|qual|quant[oa]s?|existem?|(?:para|pra) que)\b",
    r"(?:me )?(?:expli(?:que|ca)|diga|conte|descreva|defina|fal[ae] (?:sobre|um pouco))\b",
    r"(?:me )?de (?:um )?exemplos? de\b",
    r"(?:compare|resum[ao] de|resumo d[eoa]s?|significado de|ha (?:diferenca|alguma|algum))\b",
    r"(?:qual (?:e )?a )?diferencas? entre\b",
)
"""How questions begin."""

GENERAL = _begins(
    r"what(?:'s| is| are| was| were)\b(?! \S+ used\b)",
    r"what does .* (?:mean|stand for)\b",
    r"how (?:many|much|long|old|far|big|often)\b",
    r"who (?:is|are|was|were|invented|wrote|painted|discovered|created|said)\b",
    r"(?:(?:can|could|would) you (?:please )?)?(?:explain|describe|tell me)(?! how| why)\b",
    r"(?:which|are there|define|compare|summar\w*|give me|pros and cons of|meaning of)\b",
    r"(?:the )?difference between\b",
    r"(?:me )?(?:o ?que|(?:diga|conte|fal[ae]|descreva|expli(?:que|ca))(?! (?:como|por))|defina)\b",
    r"(?:voce )?(?:pode|poderia|consegue) (?:me )?\w+ o que\b",
    r"quem (?:e|foi|eram?|inventou|escreveu|pintou|descobriu|criou|disse)\b",
    r"(?:qual|quais|quant[oa]s?|(?:para|pra) que|significado de|existe diferenca|diferencas? entre)\b",
    r"resum\w*\b|(?:me )?de (?:um )?exemplo",
)
"""Those that ask for knowledge. How, why, when and who ask of one's own program as often."""

SPECIFIC = _begins(
    r"(?:does|do|did|has|have|is there)\b",
    r"what (?:does|do|did) \S+ do\b",
    r"what(?:'s| is| are) (?:in|on|under|inside)\b",
    r"what happens\b",
    r"(?:what(?:'s| is| are) being|o que esta)\b",
    r"(?:describe what|descreva o que)\b",
    r"why (?:is|are) there\b",
    rf"(?!{'|'.join(_ASK_TO_EXPLAIN)})(?:(?:can|could|would|will) you|(?:voce )?(?:pode|poderia|consegue))\b",
    r"o que (?:tem|ha|eu)\b",
    r"o que (?:faz|fazem) (?:[oa]s? )?\S+$",
    r"(?:por ?que|pq) (?:ha|tem|existem?)\b",
    r"da(?:ria)? (?:para|pra)\b",
    r"como (?:eu|se faz|\w+o)\b",
)
"""Those that ask of one's own program, or ask for work, more often than not."""

DEFINITE_PT = re.compile(
    r"(?:o que|\bcomo(?: funcionam?)?|(?:para|pra) que serv(?:e|em)|qua(?:l|is)(?: e| sao)?) [oa]s? \w"
    r"|quant[oa]s? \w+ (?:tem|ha|existem?) n?[oa]s? \w"
)
"""The definite article where it stands for one thing; before a kind Portuguese has it as well."""

PLACE = re.compile(
    r"@\w|`|https?://|\n|#\d|<\w"  # mentions, code, addresses, tickets, tags
    r"|(?:^|\s)(?:\.{1,2}|~)?/[\w.~-]|\w/\w*[./_]|\w/(?:$|\s)|\w\\\w|(?:^|[\s('\"])\.[a-z]\w+"  # paths
    r"|\w_\w|\w\(\)|\blocalhost\b|:\d{2,5}\b|\bporta? \d|\b[0-9a-f]*\d[0-9a-f]{6,}\b"  # code, hosts, hashes
    r"|\b[\w-]+\.(?:py|pyi|go|js|mjs|ts|tsx|jsx|rs|java|kt|swift|c|cc|cpp|h|hpp|cs|rb|php|md|rst|txt|csv|json"
    r"|ya?ml|toml|ini|cfg|env|sh|bash|sql|html?|s?css|xml|lock|log|pdf|ipynb|proto|tf|vue|mod|png|jpe?g|svg"
    r"|zip|gz|tar|com|br|org|dev|io)\b"
    r"|\b(?:dockerfiles?|makefiles?|readme|gitignore|changelog|stack ?trace|pull request|entry ?point)\b"
    r"|\b(?:git (?:log|status|diff|blame)|npm|yarn|pnpm|pip|kubectl|docker (?:ps|images|logs))\b"  # commands
)
"""What names a place: a file, a name in code, an address, a command."""

NEWS_PHRASE = re.compile(
    r"\b(?:20[2-9]\d|last (?:week|month|year|night)|exchange rate|what time|temperature in|up to date"
    r"|(?:que|quantas) horas|temperatura? em|tempo em|jogo d[oa]|nao (?:\w+ )?(?:funciona|abre|passa|roda))\b"
)

CODE_NAME = re.compile(r"\b(?:[a-z]+[A-Z][a-z]+\w*|(?:[A-Z][a-z]+){2,}|[A-Z]{2,}[a-z]+[A-Z]\w*)\b")
"""In the text as it was written: `parseConfig`, `UserService`."""

ACRONYM = re.compile(r"\b[A-Z][A-Z0-9]+\b")
TOKEN = re.compile(r"[a-z0-9+#']+|[,.;:!?]")
