"""The replay policy: what of a conversation a target would take, decided before anything is sent."""

from ostinato.policy.decision import DECISION_CODES, Decision, ReplayReport
from ostinato.policy.prepare import Prepared, prepare, strip_state, trim
from ostinato.policy.profile import Cell, Profile
from ostinato.policy.profiles import PROFILES, profile
from ostinato.policy.target import Target

__all__ = [
    "DECISION_CODES",
    "PROFILES",
    "Cell",
    "Decision",
    "Prepared",
    "Profile",
    "ReplayReport",
    "Target",
    "prepare",
    "profile",
    "strip_state",
    "trim",
]
