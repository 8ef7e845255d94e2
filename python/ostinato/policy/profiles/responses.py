"""The known destinations of the OpenAI Responses wire. `docs/policy.md` shows them as a table."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, ClassVar, Final

from ostinato.policy.profile import Cell, Profile

__all__ = ["PROFILES", "ResponsesProfile"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponsesProfile(Profile):
    """One destination that speaks OpenAI Responses."""

    wire: str = "openai-responses"
    contract: str
    """The provider by whose contract the codec reads replay items for this destination: which fields they may have."""
    ids: Cell[str]
    """`preserve` ids as they came, `omit` all of them, or they are `required` on reasoning."""
    max_id: Cell[int]
    """The longest id that is taken back, in characters."""
    paired_ids: Cell[str]
    """Ids of reasoning and of what followed it: left out `together`, because the server looks for one by the other, or
    each `alone`."""
    missing_id: Cell[str]
    """Reasoning without id: `allow` it, send it and `report` it, `drop` it or `raise`."""
    ciphertext: Cell[str]
    """Whether encrypted reasoning is `take`n or `refuse`d."""
    plaintext_reasoning: Cell[str]
    """Reasoning as plain text: `keep` it, keep it only `beside` a ciphertext, or `drop` it."""
    no_ciphertext: Cell[str]
    """An item without the state it should carry: `drop`, `raise`, or `keep` it where the provider has it stored."""
    readable_ciphertext: Cell[str]
    """A ciphertext that is readable text: `drop`, `keep` or `raise`."""
    incomplete: Cell[str]
    """Reasoning of a response that was cut: `drop` or `keep`."""
    captured: Cell[str]
    """Of the two forms in which a stream brings an item, that of its `done` event or that of the `final` response."""
    orphans: Cell[str]
    """Reasoning without the item that followed it: `drop`, `keep` or `raise`."""
    same_ids: Cell[str]
    """Two items of one id: `refused` or `taken`."""
    repeats: Cell[str]
    """The same state a second time: `drop` or `keep`."""
    conflicts: Cell[str]
    """Another state under an id that stands earlier: keep the `first` alone, `keep` both, or `raise`."""
    shared_ciphertext: Cell[str]
    """The same state under another id: `keep` or `drop`."""

    choices: ClassVar[Mapping[str, tuple[Any, ...]]] = MappingProxyType(
        {
            "foreign": ("drop", "keep", "raise"),
            "ids": ("preserve", "omit", "required"),
            "paired_ids": ("together", "alone"),
            "missing_id": ("allow", "report", "drop", "raise"),
            "ciphertext": ("take", "refuse"),
            "plaintext_reasoning": ("keep", "beside", "drop"),
            "no_ciphertext": ("drop", "keep", "raise"),
            "readable_ciphertext": ("drop", "keep", "raise"),
            "incomplete": ("drop", "keep"),
            "captured": ("done", "final"),
            "orphans": ("drop", "keep", "raise"),
            "same_ids": ("refused", "taken"),
            "repeats": ("drop", "keep"),
            "conflicts": ("first", "keep", "raise"),
            "shared_ciphertext": ("keep", "drop"),
        }
    )


_OPENAI: Final = ResponsesProfile(
    name="openai",
    provider="openai",
    endpoint="api.openai.com",
    contract="codex",  # the fields of OpenAI's items, with an id that may be absent; `missing_id` says what then
    same_origin=Cell(
        ("provider", "endpoint", "account"),
        "refused after a change of account, route or key: openai/codex#3942, Wei-Shaw/sub2api#3038, "
        "anomalyco/opencode#48773; no page of OpenAI says whether another organisation or model can read it, and the "
        "reasoning guide calls earlier reasoning of other models available where compatible",
        "2026-11",
        certain=False,
    ),
    ids=Cell(
        "preserve",
        "the ciphertext is bound to its id: 'item_id did not match the target item id', maximhq/bifrost#5186, "
        "pydantic/pydantic-ai#7185",
        "2026-08",
    ),
    max_id=Cell(64, "NousResearch/hermes-agent#27038 (64 taken, 65 refused), can1357/oh-my-pi#284", "2026-07"),
    paired_ids=Cell(
        "together",
        "vercel/ai#7099, mastra-ai/mastra#15509, NousResearch/hermes-agent#98942: an id whose partner went is refused; "
        "langchain-openai 1.7.4 sends reasoning with its id before messages without one, so only that is left as it is",
        "2026-08",
        certain=False,
    ),
    missing_id=Cell(
        "report",
        "openai 3.57.0 requires an id in its input type; inspect_ai 0.3.285 got none with store=false, and Codex sends "
        "none (openai/codex protocol/src/models.rs)",
        "2026-11",
        certain=False,
    ),
    ciphertext=Cell("take", "OpenAI reasoning guide, 'Preserve reasoning without stored responses'", "2026-11"),
    plaintext_reasoning=Cell(
        "drop", "'array_above_max_length', musistudio/claude-code-router#1783, inspect_ai 0.3.285", "2026-09"
    ),
    no_ciphertext=Cell(
        "drop",
        "'Item not found', vercel/ai#7543, microsoft/agent-framework#4562; a husk is refused: openai/codex#19661",
        "2026-08",
    ),
    readable_ciphertext=Cell("drop", "'could not be verified', edison7009/EchoBird#255, sub2api#2863", "2026-06"),
    incomplete=Cell("drop", "LibreChat-AI/agents#371, vercel/ai#10638: only completed items are state", "2026-07"),
    captured=Cell(
        "done",
        "openai 3.3.1, docstring of ResponseReasoningItem: response.output_item.done; the final response of the Codex "
        "backend is empty: NousResearch/hermes-agent#5689",
        "2026-11",
    ),
    orphans=Cell(
        "drop",
        "'provided without its required following item', continuedev/continue#8933, openai/openai-agents-js#1280",
        "2026-05",
    ),
    same_ids=Cell("refused", "'Duplicate item found with id', vercel/ai#7883, hermes-agent#7946", "2026-04"),
    repeats=Cell("drop", "the same: the first place wins, HKUDS/nanobot#3961", "2026-05"),
    conflicts=Cell("first", "the same refusal, so a request holds one of them: a choice", "2026-04"),
    shared_ciphertext=Cell(
        "keep", "braintrustdata/lingua#426: two places of one turn are two items; a choice", "2026-08"
    ),
)

_AZURE: Final = replace(_OPENAI, name="azure", provider="azure", endpoint=None)

_OMITTED: Final = Cell(
    "omit",
    "openai/codex codex-rs/protocol/src/models.rs at 001cb8e never writes the id of a model's item; newer not read",
    "2026-11",
    certain=False,
)

_OPEN_WEIGHTS: Final = replace(
    _OPENAI,
    name="open-responses",
    provider="open-responses",
    endpoint=None,
    contract="open-responses",
    same_origin=Cell(
        ("provider",),
        "the state is text, which any server could read; no server is known to check",
        "2026-11",
        certain=False,
    ),
    paired_ids=Cell("alone", "no report of a refusal", "2026-11", certain=False),
    missing_id=Cell("allow", "openresponses.org/reference; no report of a refusal", "2026-11", certain=False),
    max_id=Cell(64, "no limit is documented; OpenAI's is taken", "2026-11", certain=False),
    no_ciphertext=Cell("drop", "nothing to replay: openai/openai-agents-python#3352", "2026-05"),
    ciphertext=Cell(
        "take",
        "openresponses.org/reference has `reasoning.encrypted_content`, to be 'rehydrated'; which servers do is open",
        "2026-11",
        certain=False,
    ),
    plaintext_reasoning=Cell(
        "keep",
        "openresponses.org/reference has `content`; where it is the state there is no other",
        "2026-11",
        certain=False,
    ),
    orphans=Cell("keep", "no report of a refusal", "2026-11", certain=False),
    same_ids=Cell("taken", "no report of a refusal; small servers count their ids anew", "2026-11", certain=False),
    conflicts=Cell("keep", "nobody refuses it, so both are sent and reported", "2026-11", certain=False),
)

_ROWS: Final = (
    _OPENAI,
    _AZURE,
    replace(
        _AZURE,
        name="azure-project",
        ids=Cell(
            "required",
            "the project route of AI Foundry refuses reasoning without its id: Azure/azure-sdk-for-net#59967, "
            "microsoft/agent-framework#5633",
            "2026-06",
        ),
        missing_id=Cell("drop", "the same; leaving the item out is our choice, `raise` the other", "2026-06"),
    ),
    replace(
        _OPENAI,
        name="codex",
        endpoint="chatgpt.com",
        ids=_OMITTED,
        missing_id=Cell("allow", _OMITTED.source, _OMITTED.seen),
    ),
    replace(
        _OPENAI,
        name="copilot",
        provider="copilot",
        endpoint="api.githubcopilot.com",
        contract="copilot",
        max_id=Cell(
            64,
            "gives out ids of 416 characters and refuses them: can1357/oh-my-pi#284, caozhiyuan/copilot-api#307",
            "2026-07",
        ),
        missing_id=Cell("allow", "ids over the limit are left out: NousResearch/hermes-agent#10788", "2026-06"),
    ),
    replace(
        _OPENAI,
        name="xai",
        provider="xai",
        endpoint="api.x.ai",
        contract="xai",
        same_origin=Cell(
            ("provider", "endpoint", "account"),
            "NousResearch/hermes-agent#32062, openclaw/openclaw#97926; no page on account and endpoint was found",
            "2026-06",
            certain=False,
        ),
        ids=Cell(
            "preserve",
            "docs.x.ai troubleshooting-reasoning: keep every item exactly as it arrived; its example has no id, and "
            "whether one may be sent is not said",
            "2026-11",
            certain=False,
        ),
        max_id=Cell(64, "no limit is documented; OpenAI's is taken", "2026-11", certain=False),
        paired_ids=Cell("alone", "docs.x.ai troubleshooting-reasoning: a loss gives no error", "2026-11"),
        missing_id=Cell("allow", "docs.x.ai troubleshooting-reasoning: the example has no id", "2026-11"),
        plaintext_reasoning=Cell(
            "beside",
            "docs.x.ai: items exactly as they arrived; chenyme/grok2api#1025: an added key is a changed item",
            "2026-08",
        ),
        incomplete=Cell("keep", "docs.x.ai: take the items from response.completed or response.incomplete", "2026-11"),
        captured=Cell("final", "docs.x.ai troubleshooting-reasoning: take the items from the final event", "2026-11"),
        orphans=Cell("keep", "docs.x.ai troubleshooting-reasoning: a loss gives no error", "2026-11"),
        same_ids=Cell("taken", "no report of a refusal", "2026-11", certain=False),
        conflicts=Cell("keep", "nobody refuses it, so both are sent and reported", "2026-11", certain=False),
    ),
    replace(
        _OPENAI,
        name="openrouter-responses",
        provider="openrouter",
        endpoint="openrouter.ai",
        contract="openrouter",
        same_origin=Cell(
            ("provider", "endpoint", "account", "model"),
            "'Encrypted payloads can only be replayed to the endpoint that created them', rowboatlabs/rowboat#832; "
            "'not issued to this caller', anomalyco/opencode#48773",
            "2026-09",
        ),
        ids=Cell("preserve", "pydantic/pydantic-ai#7185: an id stays with the detail that carried it", "2026-08"),
        max_id=Cell(64, "it relays to OpenAI, whose limit is taken", "2026-11", certain=False),
        missing_id=Cell("allow", "openrouter 1.3.84: `id` may be null in a detail", "2026-11", certain=False),
        plaintext_reasoning=Cell(
            "keep", "openrouter 1.3.84: reasoning with `content`, `signature` and `format` of any upstream", "2026-11"
        ),
        paired_ids=Cell("together", "it relays to OpenAI, whose rule is taken", "2026-11", certain=False),
        orphans=Cell("drop", "it relays to OpenAI, whose rule is taken", "2026-11", certain=False),
        same_ids=Cell("refused", "'Duplicate item found with id', OpenRouterTeam/ai-sdk-provider#254", "2025-11"),
    ),
    replace(
        _OPEN_WEIGHTS,
        name="vllm-responses",
        provider="vllm",
        contract="vllm",
        ciphertext=Cell(
            "refuse", "vllm entrypoints/responses_utils.py raises 'Encrypted content is not supported.'", "2026-11"
        ),
        plaintext_reasoning=Cell("keep", "vllm-project/vllm#28248 takes `content` on input", "2026-11"),
        paired_ids=Cell("alone", "vllm entrypoints/responses_utils.py reads items by order and call id", "2026-11"),
    ),
    replace(
        _OPEN_WEIGHTS,
        name="llama-cpp-responses",
        provider="llama.cpp",
        contract="llama.cpp",
        ciphertext=Cell("refuse", "the server makes none and cannot read one; not tried", "2026-11", certain=False),
        plaintext_reasoning=Cell(
            "keep", "ggml-org/llama.cpp#29159 names what it refuses beside it: a summary that is null", "2026-09"
        ),
    ),
    replace(
        _OPEN_WEIGHTS,
        name="deepseek-responses",
        provider="deepseek",
        endpoint="api.deepseek.com",
        contract="deepseek",
        ciphertext=Cell(
            "refuse", "its reasoning is plain text (api-docs.deepseek.com); not tried", "2026-09", certain=False
        ),
        plaintext_reasoning=Cell(
            "keep",
            "api-docs.deepseek.com/guides/thinking_mode: with tools, earlier reasoning goes back; written for Chat",
            "2026-09",
            certain=False,
        ),
    ),
    replace(_OPEN_WEIGHTS, name="lmstudio", provider="lm-studio", contract="lm-studio"),
    _OPEN_WEIGHTS,
    replace(
        _OPEN_WEIGHTS,
        name="open-responses-no-ids",
        ids=Cell("omit", "a compatible server took the item only without its id: maximhq/bifrost#6488", "2026-08"),
    ),
)

PROFILES: Final[Mapping[str, ResponsesProfile]] = {row.name: row for row in _ROWS}
"""One row per destination."""
