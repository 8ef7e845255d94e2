"""Sessions on disk: private files, turns that are there whole or not at all, one writer each."""

from ostinato.store.findings import SESSION_FINDING_CODES, SessionFinding
from ostinato.store.reading import Binding, Header, Resumed, StoredTurn
from ostinato.store.session import Session
from ostinato.store.shelf import SessionInfo, SessionStore, StoredSession, StoredTurns

__all__ = [
    "SESSION_FINDING_CODES",
    "Binding",
    "Header",
    "Resumed",
    "Session",
    "SessionFinding",
    "SessionInfo",
    "SessionStore",
    "StoredSession",
    "StoredTurn",
    "StoredTurns",
]
