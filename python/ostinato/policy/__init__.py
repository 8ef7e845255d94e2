"""The replay policy: what of a conversation a target would take, decided before anything is sent."""

from ostinato.policy.chain import Chain, check_thinking_chain, thinking_chain
from ostinato.policy.controls import binding_settings, provider_drops
from ostinato.policy.decision import DECISION_CODES, Decision, ReplayReport
from ostinato.policy.prepare import Prepared, prepare, strip_state, trim
from ostinato.policy.profile import Cell, Profile
from ostinato.policy.profiles import PROFILES, profile
from ostinato.policy.provenance import thinking_digest, verify_thinking
from ostinato.policy.target import Target

__all__ = [
    "DECISION_CODES",
    "PROFILES",
    "Cell",
    "Chain",
    "Decision",
    "Prepared",
    "Profile",
    "ReplayReport",
    "Target",
    "binding_settings",
    "check_thinking_chain",
    "prepare",
    "profile",
    "provider_drops",
    "strip_state",
    "thinking_chain",
    "thinking_digest",
    "trim",
    "verify_thinking",
]
