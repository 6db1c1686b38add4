"""Requests to change, find, show or run something that is named."""

from __future__ import annotations

from chatcli.providers.offline.intents import Intent
from chatcli.providers.offline.plans import change, find, look, run, where

INTENTS = (
    Intent(
        name="replace",
        plan=change.replace,
        en=(
            "(replace|change|substitute|rename) <before> (by|with|to|into) <after> (in|inside) <path>",
            "in <path> (replace|change) <before> (by|with|to|into) <after>",
        ),
        pt=(
            "(troque|trocar|substitua|substituir|mude|mudar|altere|renomeie) <before> (por|para) <after> "
            "(em|no|na|dentro de) <path>",
            "(em|no|na) <path> (troque|trocar|substitua|substituir|mude) <before> (por|para) <after>",
        ),
    ),
    Intent(
        name="create",
        plan=change.create,
        en=(
            "(create|make|write) [new] <path> {with} <text>",
            "write <text> (to|into) <path>",
        ),
        pt=(
            "(crie|criar|cria|faca|escreva) [novo] <path> {com} <text>",
            "(escreva|escrever|grave) <text> (em|no|na) <path>",
        ),
    ),
    Intent(
        name="definition",
        plan=where.definition,
        en=(
            "where is <name> (defined|declared|implemented)",
            "where (do we|does it|do you|is it that we) define <name>",
            "[{find}|{show}|{whatis}] (definition|declaration|implementation) of <name>",
            "({find}|{show}) (function|class|method|type|struct|def) <name>",
        ),
        pt=(
            "onde (esta|e|foi|fica) (definido|definida|declarado|declarada|implementado|implementada) <name>",
            "onde <name> (e|esta|foi) (definido|definida|declarado|declarada|implementado|implementada)",
            "[{procure}|{mostre}|qual e] (definicao|declaracao|implementacao) {em} <name>",
            "({procure}|{mostre}) (funcao|classe|metodo|tipo) <name>",
        ),
    ),
    Intent(
        name="files",
        plan=find.files,
        en=(
            "({find}|{list}) files (named|called|matching|like) <word>",
            "(which|what|{list}) files (end with|end in|are named|match) <word>",
            "({find}|{list}) <glob> [files] [{here}]",
        ),
        pt=(
            "({procure}|{liste}) arquivos (chamados|com nome|com o nome|como|que terminam em) <word>",
            "(que|quais) arquivos (terminam em|terminam com|se chamam) <word>",
            "({procure}|{liste}) [arquivos] <glob> [{aqui}]",
        ),
        same=("find <glob>",),
    ),
    Intent(
        name="find",
        plan=find.find,
        en=(
            "(grep|rg) <word> <path>",
            "{find} <text> (in|inside|within|under) (this folder|this project|here|all files|files|code)",
            "{find} <text> (in|inside|within|under) <path>",
            "(which|what) (files|file) (contain|contains|mention|mentions|use|uses) <text>",
            "(who|what) (uses|calls|imports) <text>",
            "where (do we|does it) (use|call|mention) <text>",
            "where is <text> (used|called|mentioned|imported)",
            "{find} <text>",
        ),
        pt=(
            "{procure} <text> (nos|em) (arquivos|codigo)",
            "{procure} <text> {aqui}",
            "{procure} <text> (em|no|na|nos|nas|dentro de|dentro da|dentro do) <path>",
            "(que|quais) (arquivos|arquivo) (contem|tem|mencionam|menciona|usam|usa) <text>",
            "quem (usa|chama|importa) <text>",
            "onde <text> (e|esta|foi) (usado|usada|chamado|chamada|importado|importada)",
            "onde (e|esta|foi) (usado|usada|chamado|chamada|importado|importada) <text>",
            "{procure} <text>",
        ),
        same=("rg <text>",),
    ),
    Intent(
        name="where",
        plan=where.where,
        en=("{whereis} <name> (in|inside|within|under) <path>", "{whereis} <name>"),
        pt=("{ondeesta} <name> (em|no|na|dentro de) <path>", "{ondeesta} <name>"),
    ),
    Intent(
        name="show",
        plan=look.show,
        en=(
            "{show} (contents of|content of) <path>",
            "{show} <path> [file]",
            "{whatis} {in} <path>",
            "what does <path> (say|contain|do)",
        ),
        pt=(
            "{mostre} conteudo {em} <path>",
            "{mostre} <path>",
            "{oque} {em} <path>",
            "o que (diz|contem|faz) <path>",
            "o que <path> (diz|contem|faz)",
        ),
    ),
    Intent(
        name="run",
        plan=run.command,
        en=("{run} [command|program|script] <command>",),
        pt=("{rode} [comando|programa|script] <command>",),
        same=("$ <command>", "! <command>"),
    ),
)
