"""Subcommands: `chatcli setup`, `sessions`, `config` ... Each is a function that returns the exit code."""
