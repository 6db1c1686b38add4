"""OFFLINE: no model at all. A rule-based guide, or a script of replies, drives the real loop."""

from chatcli.providers.offline.provider import Offline

__all__ = ["Offline"]
