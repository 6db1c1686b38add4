"""chatcli: a terminal agent that never loses a byte and never wastes a token."""

__version__ = "0.1.0"
