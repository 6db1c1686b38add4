"""The tools that come with chatcli, one file each. They import `chatcli.tools` and nothing else of it."""

from chatcli_plugins import exec, read, search, tree, write

TOOLS = (exec.run, read.read, search.search, tree.tree, write.write)
