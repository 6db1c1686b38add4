"""Words that the patterns of the intents share. Folded: lower case, no accents."""

from __future__ import annotations

ARTICLES = "the|a|an|all|all of the|any|me|some|o|os|as|um|uma|todos|todas|todo o|toda a"
NAMING = "file|arquivo|o arquivo|folder|directory|pasta|diretorio|module|modulo"

POLITE_BEFORE = (
    "please|pls|hey|hi|hello|ok|okay|so|and|now|then|(?:can|could|would|will) you|help me|let's|let us"
    "|i (?:want|need|would like)(?: you)? to|do you know|tell me|chatcli"
    "|por favor|por gentileza|oi|ola|entao|agora|e|diga|diga-me|sabe|voce sabe|vamos"
    "|(?:voce|vc)? ?(?:pode|poderia|consegue)|(?:eu )?(?:quero|queria|gostaria|preciso)(?: de| que)?|me|nos"
)
POLITE_AFTER = "please|pls|for me|thanks|por favor|por gentileza|para mim|pra mim|obrigado|obrigada|now|agora"

CHOICES = {
    # English
    "show": "show|open|read|cat|display|print|view|see|let me see|give me|type|less|more",
    "find": "find|search|search for|look for|grep|grep for|locate|look up",
    "list": "list|show|print|find|give me|what are|which are|see",
    "whatis": "what is|what's|whats|what are|what does",
    "here": (
        "here|in here|in this folder|in this directory|in this repo|in this repository|in this project"
        "|in the current folder|in the current directory|in the folder|in the project|in the repo|in this dir"
        "|of this folder|of this project|of the project"
    ),
    "whereis": "where is|where's|wheres|where are|which file has|where can i find",
    "in": "in|inside|within|under|of|at|from",
    "with": "with|with text|with the text|with content|with the content|containing|saying",
    "run": "run|execute|start|launch",
    "project": "project|repo|repository|program|codebase|package|app|folder|code",
    # Portuguese
    "mostre": (
        "mostre|mostra|mostrar|mostre-me|exiba|exibe|exibir|abra|abre|abrir|leia|ler|veja|ver|imprima|cat"
    ),
    "procure": (
        "procure|procura|procurar|procure por|procurar por|busque|busca|buscar|busque por|buscar por"
        "|ache|acha|achar|encontre|encontra|encontrar|pesquise|pesquisar|grep|localize|localizar"
    ),
    "liste": "liste|lista|listar|mostre|mostra|mostrar|ache|achar|encontre|procure|quais sao|ver",
    "oque": "o que ha|o que tem|o que existe|o que contem|o que e que ha|o que e que tem|o que esta",
    "aqui": (
        "aqui|por aqui|daqui|nesta pasta|nessa pasta|neste diretorio|nesse diretorio|na pasta|na pasta atual"
        "|no diretorio|no diretorio atual|neste repositorio|nesse repositorio|neste projeto|nesse projeto"
        "|no projeto|este projeto|esse projeto|o projeto|desta pasta|deste projeto|do projeto|deste diretorio"
    ),
    "ondeesta": "onde esta|onde fica|onde estao|onde ficam|onde ha|cade|em que arquivo esta",
    "em": "em|no|na|nos|nas|dentro de|dentro do|dentro da|de|do|da|dos|das",
    "com": "com|com o texto|com texto|com o conteudo|com conteudo|contendo|dizendo",
    "rode": "rode|roda|rodar|execute|executa|executar|corra|inicie",
    "projeto": "projeto|repositorio|programa|codigo|pacote|aplicativo|app|pasta",
}
