"""The closed list of error codes: those of the compiled core, and of what is around it."""

from typing import Final

from ostinato._core import error_codes

__all__ = ["ERROR_CODES", "STORE_CODES"]

# Codes of what is not in the compiled core. One line per code.
_OWN_CODES: Final = {
    "file_changing": "the database was written to all the while; try again when its program is done",
    "no_conversation": "the file is readable and holds no conversation",
    "not_a_request": "a request has its items in `messages`, `input`, `contents` or `steps`; pass its body",
    "not_recoverable": "leaving something out of the items would not help; `Explanation.advice` says what would",
    "not_rescuable": "what must go cannot be left out of this file; export the session, or load it and `strip_state`",
    "origins_differ": "a sequence of origins has one for each item, None where it is not known",
    "redacted_export": "the file is a redacted export: it holds no state that could be sent; load the original",
    "several_sessions": "the file holds several conversations; name one with `session=`, or use `load_all`",
    "state_modified": "it is not what was captured: do not send it, and read it from where it is still whole",
    "target_of_other_wire": "the conversation is of another wire than the target speaks; `wire` of both says which",
    "unknown_format": "no known layout of saved histories looks like this, or has this name",
    "unknown_profile": "no destination of this name is known; `ostinato.PROFILES` has the names",
    "unknown_refusal": "these words of a provider are not known, so nothing was changed; report them",
    "unknown_session": "the file holds no conversation of this name",
    "wires_differ": "two requests of different wires cannot be compared; name one with `wire=` if they are of one",
    "zstd_unavailable": "the file is packed with zstd; Python 3.14 reads that, older ones need `backports.zstd`",
}

# Codes of `StoreError`: what happened, and what to do next.
STORE_CODES: Final = {
    "disk_error": ("the system refused to read or write", "look at the errno, and try again when it is mended"),
    "file_changed": ("the file is not as this session left it", "find what else writes to it, and open it again"),
    "folder_open": ("others may enter the folder, or read it", "give it mode 0700, or take a folder of your own"),
    "foreign_owner": ("the file or folder belongs to another user", "take a folder of your own"),
    "hard_link": ("the file has a second name somewhere", "remove the other name, or copy the file"),
    "header_unreadable": ("the file is no session, or its header is lost", "move it away; `verify` says what is in it"),
    "lock_unsupported": ("this file system cannot lock files", "keep sessions on a local file system"),
    "locked_elsewhere": ("a process on another host has the session", "end it there, or open with `take_over=True`"),
    "message_not_storable": ("the message holds what JSON cannot hold", "take it out of the message"),
    "migration_missing": ("no step leads from this version to the present one", "use the version that wrote it"),
    "name_invalid": ("a name has 1 to 100 of A-Z a-z 0-9 _ . - and begins with no dot or dash", "take another name"),
    "not_a_folder": ("the path is no folder", "name a folder"),
    "not_a_regular_file": ("the path is no regular file", "move it away"),
    "schema_unknown": ("the file is of another schema", "open it with what wrote it"),
    "session_attached": ("another client has this session", "open a session for each client"),
    "session_broken": ("a write failed and could not be taken back", "open the session again: it says what is there"),
    "session_closed": ("the session was closed", "open it again"),
    "session_exists": ("a session has this name, perhaps in other letters", "take another name, or its own spelling"),
    "session_forked": (
        "the session belongs to the process that opened it",
        "open a session of its own in each process",
    ),
    "session_locked": ("another writer has the session", "wait for it, end it, or take another name"),
    "session_missing": ("there is no session of this name", "`ostinato sessions list` has the names"),
    "symlink": ("the path is a symbolic link", "name the real path"),
    "turn_not_written": ("the turn is not on the disk and not in the history", "make room, then say it again"),
    "turn_too_large": ("the turn is larger than `max_turn_bytes`", "leave large media out, or raise the limit"),
    "turn_unconfirmed": ("the turn may be on the disk or not", "open the session again: it says which"),
    "version_unknown": ("a version of the schema that this ostinato does not know", "use a newer ostinato"),
}

ERROR_CODES: Final[dict[str, str]] = (
    {code: meaning for code, (meaning, _) in STORE_CODES.items()} | dict(error_codes()) | _OWN_CODES
)
"""Every error code with one sentence: what was expected, or what to do next. Codes are never renamed."""
