"""Requests to chatcli itself: what it can do, what it costs, what it keeps."""

from __future__ import annotations

from chatcli.providers.offline.intents import Intent
from chatcli.providers.offline.plans import look, talk

INTENTS = (
    Intent(
        name="hello",
        plan=talk.hello,
        en=("(hi|hello|hey|good morning|good afternoon|good evening) [there|chatcli|again]",),
        pt=("(oi|ola|bom dia|boa tarde|boa noite|e ai) [chatcli|tudo bem]",),
    ),
    Intent(
        name="thanks",
        plan=talk.thanks,
        en=("(thanks|thank you|thx|great|perfect) [a lot|very much|so much|thanks|thank you]",),
        pt=("(obrigado|obrigada|muito obrigado|muito obrigada|valeu|otimo|perfeito) [obrigado|obrigada]",),
    ),
    Intent(
        name="help",
        plan=talk.help,
        en=(
            "help",
            "what (can|do) you (do|know|understand)",
            "how (does this work|do i use this|do you work|do i start)",
            "(who|what) are you",
        ),
        pt=(
            "(ajuda|ajude|socorro)",
            "o que [e que] (voce|vc) (pode|sabe|consegue|entende) [fazer]",
            "como (isso funciona|isto funciona|uso isso|uso isto|funciona|comeco)",
            "(quem|o que) e (voce|vc)",
        ),
    ),
    Intent(
        name="cost",
        plan=talk.cost,
        en=(
            "(how much|what) (does|did|has|will) (this|it) cost",
            "[{whatis}] (cost|price) [of this|so far]",
            "how many tokens [did this use|were used|have i used]",
        ),
        pt=(
            "quanto (custa|custou|isso custa|isso custou|isto custa|isto custou|gastei|ja gastei)",
            "[qual e] custo [disso|ate agora]",
            "quantos tokens [foram usados|usei|gastei]",
        ),
    ),
    Intent(
        name="undo",
        plan=talk.undo,
        en=(
            "(undo|revert) [that|this|it|last change|changes]",
            "how (do|can) i (undo|revert) [that|this|it|last change]",
        ),
        pt=(
            "(desfaca|desfazer|desfaz|reverta|reverter) [isso|isto|ultima mudanca|ultima alteracao|mudancas]",
            "como (desfaco|desfazer|reverto) [isso|isto]",
        ),
    ),
    Intent(
        name="fetch",
        plan=talk.fetch,
        en=("(fetch|download|get|visit|summarize|{show}) [page|url|site] <url>", "{whatis} {in} <url> [say]"),
        pt=(
            "(baixe|baixar|busque|buscar|visite|acesse|resuma|{mostre}) [pagina|url|site|endereco] <url>",
            "({oque}|o que diz) [{em}] <url>",
        ),
    ),
    Intent(
        name="remember",
        plan=talk.remember,
        en=("(remember|note|memorize|keep in mind) [that] <text>",),
        pt=("(lembre|lembre-se|guarde|anote|memorize) [de que|que|isso:|isto:] <text>",),
    ),
    Intent(
        name="original",
        plan=look.original,
        en=(
            "(recall|{show}) (lines|line) <n>-<m> of <key>",
            "(recall|{show}) [result|original] <key>",
            "{find} <text> in [result] <key>",
        ),
        pt=(
            "(recupere|recuperar|{mostre}) (linhas|linha) <n>-<m> {em} <key>",
            "(recupere|recuperar|{mostre}) [resultado|original] <key>",
            "{procure} <text> {em} [resultado] <key>",
        ),
    ),
    Intent(
        name="recall",
        plan=talk.recall,
        en=(
            "what do you (remember|know) about <text>",
            "what do you remember",
            "(do you remember|recall) [about] <text>",
        ),
        pt=(
            "o que (voce|vc) (lembra|sabe) [sobre|de|do|da] <text>",
            "o que (voce|vc) lembra",
            "(voce lembra|vc lembra|recorde|relembre) [sobre|de|do|da] <text>",
        ),
    ),
)
