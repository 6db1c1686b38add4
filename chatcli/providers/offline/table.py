"""The table of intents. Rows are tried in order; the first pattern that fits the whole request wins.

Patterns are folded (no accents); `chatcli.providers.offline.patterns` explains their language.
"""

from __future__ import annotations

from chatcli.providers.offline.intents import Intent
from chatcli.providers.offline.plans import change, count, find, folder, git, look, project, run, talk, where

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
