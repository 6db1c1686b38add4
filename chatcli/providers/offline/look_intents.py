"""Requests to look at a file, a folder, the whole project or its history."""

from __future__ import annotations

from chatcli.providers.offline.intents import Intent
from chatcli.providers.offline.plans import count, find, folder, git, look, project, run

INTENTS = (
    Intent(
        name="lines",
        plan=look.lines,
        en=(
            "[{show}] (lines|line) <n> (to|-|through|until|and) <m> {in} <path>",
            "[{show}] (lines|line) <n>-<m> {in} <path>",
            "{show} line <n> {in} <path>",
            "{show} <path> (lines|line|from line|from) <n> (to|-|through|until|and) <m>",
            "{show} <path> (lines|line) <n>-<m>",
        ),
        pt=(
            "[{mostre}] (linhas|linha) <n> (a|ate|ate a|-|e) <m> {em} <path>",
            "[{mostre}] (linhas|linha) <n>-<m> {em} <path>",
            "{mostre} a linha <n> {em} <path>",
            "{mostre} <path> (linhas|da linha|nas linhas|das linhas) <n> (a|ate|-|e) <m>",
            "{mostre} <path> (linhas|nas linhas|das linhas) <n>-<m>",
        ),
        same=("<path>:<n>-<m>",),
    ),
    Intent(
        name="tail",
        plan=look.tail,
        en=(
            "[{show}] (end|tail|bottom) of <path>",
            "[{show}] last <n> lines {in} <path>",
            "how does <path> end",
        ),
        pt=(
            "[{mostre}] (fim|final) {em} <path>",
            "[{mostre}] ultimas <n> linhas {em} <path>",
            "como termina <path>",
        ),
        same=("tail <path>", "tail -<n> <path>", "tail -n <n> <path>"),
    ),
    Intent(
        name="head",
        plan=look.head,
        en=("[{show}] (beginning|start|head|top) of <path>", "[{show}] first <n> lines {in} <path>"),
        pt=(
            "[{mostre}] (comeco|inicio) {em} <path>",
            "[{mostre}] primeiras <n> linhas {em} <path>",
        ),
        same=("head <path>", "head -<n> <path>", "head -n <n> <path>"),
    ),
    Intent(
        name="readme",
        plan=look.readme,
        en=("{show} readme [file]", "what is in readme", "what does readme say"),
        pt=("{mostre} readme", "{oque} no readme", "o que (diz o readme|o readme diz)"),
        same=("readme",),
    ),
    Intent(
        name="folder",
        plan=folder.folder,
        en=(
            "({whatis}|what do we have|what files are|which files are|what is there|what's there) {here}",
            "{list} (files|folder|directory|contents|files and folders) [{here}]",
            "(describe|summarize|explain|show) this {project}",
            "(look around|overview)",
        ),
        pt=(
            "({oque}|que arquivos ha|que arquivos tem|quais arquivos ha|quais arquivos tem) {aqui}",
            "(que|quais) arquivos (estao|existem|ha|tem) {aqui}",
            "(quais sao) arquivos {aqui}",
            "{liste} (arquivos|pastas|pasta|conteudo|arquivos e pastas) [{aqui}]",
            "(descreva|descrever|resuma|explique|mostre) (este|esse|esta|essa|o|a) {projeto}",
        ),
        same=("ls", "dir", "ls -la", "ls -l", "ls -a"),
    ),
    Intent(
        name="kind",
        plan=project.kind,
        en=(
            "(what|which) (kind|type|sort) of {project} is (this|it|here)",
            "(what|which) [programming] (language|languages) (is|are|does|do) (this|it|used|they|we) "
            "[{project}] [use|in|written in|here|used]",
            "(what|which) [programming] (language|languages) [is|are] [used] [{here}]",
            "{whatis} this [{project}] [about|for|do]",
        ),
        pt=(
            "(que|qual|qual e) tipo de {projeto} (e este|e esse|e isso|e isto|e|ha aqui)",
            "(que|qual|qual e|quais|quais sao|em que|em qual) (linguagem|linguagens) [de programacao] "
            "[e|este|esse|usa|usada|usadas|foi|sao|esta] [{projeto}] [usa|esta|foi|e|usada|usadas] "
            "[escrito|usado|feito] [{aqui}]",
            "(o que e|do que se trata|sobre o que e|o que faz) (este|esse|isto|isso) [{projeto}]",
            "o que (este|esse) {projeto} faz",
        ),
    ),
    Intent(
        name="count",
        plan=count.count,
        en=(
            "(how many|count|number of) <unit> [are|do we have|does it have] [there] [{here}]",
            "(how many|count|number of) <unit> [are] [there] {in} <path>",
            "how many <unit> (does|do) <path> have",
            "how (big|long|large) is (this|it|this project|project)",
            "how (big|long|large) is <path>",
        ),
        pt=(
            "(quantos|quantas|conte|conte os|conte as|numero de) <unit> [ha|tem|existem|sao|temos] [{aqui}]",
            "(quantos|quantas|conte|conte os|conte as|numero de) <unit> [ha|existem|tem] {em} <path>",
            "(quantos|quantas) <unit> (tem|ha|existem) <path>",
            "qual (e o|o) tamanho [{aqui}|disso]",
            "qual (e o|o) tamanho {em} <path>",
        ),
        same=("wc -l <path>",),
    ),
    Intent(
        name="todos",
        plan=find.todos,
        en=(
            "[{list}] (todos|todo|to-dos|fixmes|todo comments) [{here}]",
            "[{list}] (todos|to-dos|fixmes|todo comments) {in} <path>",
            "(what is|what's) (left|still) to do",
        ),
        pt=(
            "[{liste}] (todos|todo|fixmes|comentarios todo) [{aqui}]",
            "[{liste}] (todos|fixmes|comentarios todo) {em} <path>",
            "o que (falta|falta fazer)",
        ),
    ),
    Intent(
        name="tests",
        plan=run.tests,
        en=("{run} tests", "(test|test it|test this)", "do tests pass", "are tests (green|passing)"),
        pt=("{rode} testes", "(teste|testa|testar) [isso|isto]", "os testes (passam|estao passando)"),
        same=("make test", "pytest"),
    ),
    Intent(
        name="changed",
        plan=git.changed,
        en=(
            "what [has|have|was|is] changed [{here}|since the last commit]",
            "what did (i|we|you) change",
            "[{show}] (changes|diff|uncommitted changes|working tree)",
            "{whatis} (status|state) [of this repo|of the repo|of the repository]",
        ),
        pt=(
            "o que (mudou|foi mudado|foi alterado|eu mudei|mudei|alterei) [{aqui}|desde o ultimo commit]",
            "[{mostre}] (mudancas|alteracoes|diff|diferencas|mudancas nao commitadas)",
            "qual (e o|o) (estado|status) [do repositorio]",
        ),
        same=("git status", "git diff", "diff", "status"),
    ),
    Intent(
        name="branch",
        plan=git.branch,
        en=("(what|which) branch [is this|am i on|are we on|is it]", "[{show}] current branch"),
        pt=("(em que|em qual|qual|qual e) (branch|ramo) [estou|estamos|atual|e este|e esta]",),
        same=("git branch", "branch"),
    ),
    Intent(
        name="blame",
        plan=git.blame,
        en=(
            "who (wrote|changed|edited|touched) (lines|line) <n> (to|-|and) <m> {in} <path>",
            "who (wrote|changed|edited|touched) line <n> {in} <path>",
            "who (wrote|changed|edited|touched|is the author of) <path> [last]",
            "(git blame|blame) [for] <path>",
        ),
        pt=(
            "quem (escreveu|mudou|alterou|editou) linhas <n> (a|ate|e) <m> {em} <path>",
            "quem (escreveu|mudou|alterou|editou) a linha <n> {em} <path>",
            "quem (escreveu|mudou|alterou|editou|e o autor de) <path>",
        ),
        same=("git blame <path>", "blame <path>"),
    ),
    Intent(
        name="history",
        plan=git.history,
        en=(
            "[{show}] [last|recent|latest] <n> commits [{here}]",
            "[{show}|what are] (last|recent|latest) commits [{here}]",
            "[{show}] (commits|log|history|git log|git history|commit history) [{here}]",
            "[{show}] (commits|log|history|git log|git history) (of|for) <path>",
            "what happened [lately|recently] [{here}]",
        ),
        pt=(
            "[{mostre}|quais sao] ultimos <n> commits [{aqui}]",
            "[{mostre}|quais sao|quais foram] (commits|ultimos commits|commits recentes) [{aqui}]",
            "[{mostre}] (historico|log|git log) [{aqui}|do git]",
            "[{mostre}] (historico|log|git log) {em} <path>",
        ),
        same=("git log", "log", "git log <path>"),
    ),
    Intent(
        name="tree",
        plan=look.tree,
        en=(
            "[{show}|{whatis}] [folder|directory|project] (tree|structure|layout) [{here}]",
            "[{show}] [folder|directory] (tree|structure|layout) {in} <path>",
            "{list} (files|contents|everything) {in} <path>",
            "{whatis} {in} (folder|directory) <path>",
            "{whatis} {in} <path> (folder|directory)",
        ),
        pt=(
            "[{mostre}|qual e] (arvore|estrutura) [de pastas|de arquivos|de diretorios] [{aqui}]",
            "[{mostre}|qual e] (arvore|estrutura) {em} <path>",
            "{liste} (arquivos|conteudo|pastas) {em} <path>",
            "{oque} {em} (pasta|diretorio) <path>",
        ),
        same=("tree", "tree <path>", "ls <path>"),
    ),
)
