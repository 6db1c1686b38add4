"""The tools that come with chatcli, one file each. They import `chatcli.tools` and nothing else of it."""

from chatcli_plugins import (
    ask,
    code,
    exec,
    git,
    memory,
    patch,
    read,
    recall,
    search,
    todo,
    tree,
    webfetch,
    websearch,
    write,
)

TOOLS = (
    ask.ask,
    code.code,
    exec.run,
    git.git,
    memory.memory,
    patch.patch,
    read.read,
    recall.recall,
    search.search,
    todo.todo,
    tree.tree,
    webfetch.webfetch,
    websearch.websearch,
    write.write,
)
