"""Slash commands: one place for name, help, completion and what is done."""
