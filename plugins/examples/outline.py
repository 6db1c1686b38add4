"""An example of a tool in Python: copy it into the plugin folder of your chatcli home.

A tool is an async function. Its first parameter is the context through which it reaches files,
processes and the user; the others are what the model may pass. Only `chatcli.tools` is imported.
"""

from __future__ import annotations

import ast

from chatcli.tools import ToolContext, ToolFailed, tool


@tool("outline", read_only=True, concurrent=True)
async def outline(ctx: ToolContext, file: str) -> str:
    """List the classes and functions of a Python file with their lines."""
    path = await ctx.files.readable(file)
    with ctx.files.open(path) as opened:
        source = opened.read()
    try:
        module = ast.parse(source)
    except SyntaxError as error:
        raise ToolFailed(f"{file} is not valid Python: {error}") from error
    return "\n".join(_lines(module, 0)) or "No classes or functions."


def _lines(node: ast.AST, depth: int) -> list[str]:
    found = []
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            kind = "class" if isinstance(child, ast.ClassDef) else "def"
            found.append(f"{'  ' * depth}{kind} {child.name} (lines {child.lineno}-{child.end_lineno})")
            found += _lines(child, depth + 1)
    return found
