"""The words by which routing tells work from talk. Lower case, without accents."""

from __future__ import annotations


def _words(*texts: str) -> frozenset[str]:
    return frozenset(" ".join(texts).split())


def _conjugated(infinitives: str) -> frozenset[str]:
    """`criar` -> criar, cria, crie; `ligar` -> ligar, liga, ligue; `abrir` -> abrir, abre, abra."""
    forms: set[str] = set()
    for verb in infinitives.split():
        stem, ending = verb[:-2], verb[-2:]
        soft = {"c": stem[:-1] + "qu", "g": stem + "u"}.get(stem[-1], stem) if ending == "ar" else stem
        forms |= {verb, stem + "a", soft + "e"}
    return frozenset(forms)


WORK = _words(
    """add audit benchmark bump clean clone commit compile configure create debug delete deploy diagnose
    download edit execute fix fixing generate grep implement improve inspect install investigate lint
    locate migrate modify optimise optimize patch publish refactor reformat regenerate remove rename
    reproduce restart revert review rewrite run save scaffold scan search setup translate undo
    uninstall update upgrade verify validate write build push pull rebase test testing""",
    """faca facam fazer escreva escreve escrever leia abra corrija corrige corrigir conserte conserta veja
    descubra descobre suba mova mande ponha converta converte traduza traduz publicar publique""",
) | _conjugated(
    """adicionar ajustar alterar analisar apagar arrumar atualizar auditar baixar buscar compilar configurar
    copiar criar debugar deletar depurar desinstalar diagnosticar documentar editar executar extrair
    gerar implementar importar inspecionar instalar investigar limpar listar localizar melhorar migrar
    modificar otimizar pesquisar procurar reescrever refatorar reiniciar remover renomear reproduzir
    revisar rodar salvar substituir testar validar verificar commitar instanciar acrescentar ativar
    desativar checar clonar conferir consertar""",
)
"""Verbs of tasks: they count wherever they stand, unless as a noun (`a test`)."""

ORDER = _words(
    """analyse analyze append apply adjust calculate change check convert copy count disable draft enable
    export extract fetch find format get go import initialise initialize let list look make measure
    merge mock monitor move open organise organize parse ping port print profile put read release
    reorganize replace research see send set ship show sort split start stop summarise summarize trace
    try tune use visit walk give bring take help keep turn drop""",
    """ache acha ajude ajuda anote calcule calcula coloque coloca conte conta envie envia ler liste mostre
    mostra mova mude muda olhe olha pegue pega passe passa prepare retire resuma tire tira troque
    troca use usa ver ve resolva resolve ordene""",
) - _words("resuma summarise summarize conte give help")
"""Verbs that are orders only where a sentence begins, or after `can you`."""

THINGS = _words(
    """api app application architecture backend branch branches bug bugs build builds cache call calls
    changelog change changes check checks ci class classes cli code codebase command commands comment
    comments commit commits component components config configs configuration container containers
    coverage credentials data database db dependencies dependency deps deployment diff directories
    directory disk docs documentation dockerfile email endpoint endpoints env environment error errors
    exception failure failures feature features field fields file files flag flags folder folders
    frontend function functions handler handlers imports issue issues job jobs layout license lines
    linter lockfile log logs login machine main makefile method methods middleware migration
    migrations model models module modules option options output package packages page pages parser
    pipeline plugin plugins port problem problems ports pr process processes program project prs queue
    readme head release releases repo repos repository requirements route routes schema script scripts
    secrets server servers service services setting settings source stacktrace step steps structure
    suite system table tables tag tags task tasks test tests status timeout todo todos tool tools
    traceback types ui user users variable variables version versions warning warnings website worker
    workers workflow workflows workspace""",
    """aplicacao aplicativo arquitetura arquivo arquivos banco base camada camadas classe cobertura codigo
    comando comandos comentario comentarios componente componentes configuracao configuracoes dados
    dependencia dependencias diretorio diretorios disco documentacao entrada erro erros ferramenta
    ferramentas esquema estrutura excecao excecoes falha falhas funcao funcoes historico licenca
    linhas logica maquina metodo metodos migracao migracoes modelo modelos modulo modulos mudanca
    mudancas opcoes pacote pacotes pagina paginas pasta pastas pendencia pendencias porta portas
    problema problemas processo processos programa projeto repositorio rota rotas saida senha senhas
    servidor servico servicos sistema tabela tabelas tarefa tarefas tela telas teste testes tipos
    usuario usuarios variavel variaveis versao versoes""",
)
"""What a project is made of: a reference to it behind a word that points."""

POINTERS_EN = _words(
    """the that any all each every which whose how many much open last latest no some unused are current new
    old main failing first next other what list there what's two three both several"""
)
POINTERS_PT = _words(
    """o a os as do da dos das no na nos nas pelo pela pelos pelas ao aos algum alguma alguns algumas cada
    todo toda todos todas quais qual quantos quantas quanta quanto ultimo ultima ultimos ultimas
    nenhum nenhuma ha tem existe existem que dois duas tres ambos ambas varios varias"""
)

ENGLISH = _words(
    """what what's how is are the does why explain of to an and difference between when who it was which you
    can could there anyone"""
)
"""Words that only an English text has: `a`, `do`, `no` and `as` mean other things there."""

GENERIC = _words(
    """best better same difference differences meaning purpose point pros cons advantage advantages benefits
    drawbacks disadvantages tradeoffs trade history origin origins capital concept idea theory sky sun
    moon earth world universe internet big word term second plot principles trade-offs plural opposite"""
)
GENERIC_PT = _words(
    """melhor melhores diferenca diferencas capital origem vantagem vantagens desvantagens plural
    idade sigla significado sentido complexidade receita formula conceito ideia principios pilares palavra
    proposito objetivo distancia historia"""
)
"""Behind `the` without pointing at anything in particular."""

KNOWN = _words(
    """python java javascript typescript go golang rust ruby perl php haskell erlang elixir scala kotlin
    swift cobol fortran lisp scheme clojure pascal ada prolog lua julia r c c++ c# f# dart zig ocaml
    bash linux unix windows macos android ios git github gitlab oauth docker kubernetes terraform
    ansible react angular svelte django flask fastapi rails spring node nodejs deno numpy pandas
    pytorch tensorflow kafka rabbitmq redis postgres postgresql mysql sqlite mongodb dynamodb
    cassandra elasticsearch graphql websocket websockets webassembly chatgpt devops youtube whatsapp
    google amazon microsoft apple excel latex vim emacs brazil brasil portugal europe europa africa
    asia america earth terra sol sun lua moon"""
)
"""Names of the world rather than of a project."""

CONCEPTS = _words(
    """garbage mutex semaphore deadlock recursion closure closures monad monads pointer pointers quicksort
    mergesort hashing compiler compilers interpreter interpreters cryptography encryption blockchain
    bitwise float floats integer integers polymorphism inheritance encapsulation coroutine coroutines
    goroutine goroutines generics backpressure transformers neural learning photosynthesis gravity
    vaccine vaccines light water rain people humans cats dogs birds planets stars coffee sleep dreams
    energy language languages mathematics physics chemistry biology economics inflation unicode ascii
    utf bytes kernel quantum binary memoization microservices monolith agile scrum waterfall kanban""",
    """lixo semaforo recursao ponteiro ponteiros compilador compiladores interpretador criptografia
    polimorfismo heranca encapsulamento corrotina corrotinas fotossintese gravidade vacina vacinas luz
    agua chuva pessoas gatos cachorros passaros planetas estrela estrelas cafe sono sonhos energia
    linguagem linguagens matematica fisica quimica biologia economia inflacao quantica binario
    memoizacao microsservicos monolito ceu mar""",
)
"""Of everybody rather than of one program: how or why is asked of them in general."""

OURS = _words(
    "this these those here our ours my mine we us where anywhere somewhere missing left fixme todo todos",
    """isto isso disto disso nisto nisso este esta estes estas esse essa esses essas deste desta destes
    destas desse dessa desses dessas neste nesta nestes nestas nesse nessa nesses nessas aqui aquele
    aquela aqueles aquelas gente lugar nosso nossa nossos nossas meu minha meus minhas onde aonde
    faltam falta faltando pendente pendentes sobrou""",
)
"""They point at what lies before the user."""

PRONOUNS = _words("it that they them ele ela eles elas")

STATES = _words(
    """fail fails failed failing broken committed pinned skipped blocked blocking break breaks breaking crash
    crashes crashed crashing hang hangs hanging stuck slow slower flaky leak leaks leaking wrong
    doesn't don't isn't aren't won't didn't can't changed changing changes passing red green outdated
    unused running installed configured implemented supported handled documented covered tested
    deployed merged logged validated enabled disabled exposed imported loaded ready done finished
    vulnerable vulnerabilities deprecated happened happening complains complaining throws throwing
    returns returning working works listening reachable""",
    """commitado commitada fixado fixada pulado pulada falha falham falhando falhou quebra quebram quebrado
    quebrada quebrados quebrou travando travou trava lento lenta lentos lentas errado errada vazando
    mudou mudaram alterado alterada alterou passando rodando instalado instalada instalados
    configurado configurada implementado implementada suportado suportada tratado tratada documentado
    documentada coberto coberta testado testada carregado carregada pronto pronta vulneravel
    vulneraveis acontece aconteceu acontecendo ocorre ocorreu desatualizado desatualizada
    desatualizados desatualizadas compila sobe conecta reclama reclamando retorna retornando""",
)
"""They ask how something stands, which has to be looked at."""

NEWS = _words(
    """next today tonight tomorrow yesterday now currently current latest newest recent recently weather
    forecast price prices score scores news stock won winning released""",
    """proximo proxima proximos proximas hoje amanha ontem agora atual atuais atualmente recente recentes
    recentemente ultimo ultima ultimos ultimas preco precos cotacao previsao placar resultado resultados
    noticia noticias dolar bitcoin
    ganhou venceu lancado lancada lancou""",
)
"""What no model knows by heart."""
