"""The tools that come with chatcli, one file each. They import `chatcli.tools` and nothing else of it."""

from chatcli_plugins.exec import run
from chatcli_plugins.read import read
from chatcli_plugins.tree import tree
from chatcli_plugins.write import write

TOOLS = (read, run, tree, write)
