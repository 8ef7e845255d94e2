"""Made-up replay state with the shape of the real thing: ciphertexts, texts, envelopes.

Everything comes from one seeded generator, so the same seed gives the same bytes.
"""
# ruff: noqa: RUF001 - typographic quotes and dashes are the point of the texts

import base64
import json
import math
import random
from dataclasses import dataclass, field

SCHEMA = "fast-agent.openai-responses.reasoning-replay"

# Ciphertext lengths are log-normal: median 1,508 characters, 99th percentile 20,152.
CIPHERTEXT_MEDIAN = 1508
CIPHERTEXT_SPREAD = math.log(20152 / CIPHERTEXT_MEDIAN) / 2.326
CIPHERTEXT_SHORTEST = 440
CIPHERTEXT_LONGEST = 120_000

# What becomes of an item on its way into a history file: (kind, share).
KINDS = (
    ("canonical", 0.907),
    ("other_writer", 0.05),
    ("legacy_0_10_4", 0.015),
    ("legacy_0_10_11", 0.015),
    ("duplicate", 0.010),
    ("conflict", 0.003),
)

PLAIN_SENTENCES = (
    "The parser falls back to the slow path when the first key is not the expected one.",
    "I should check whether both branches of the cache handle an empty list.",
    "Comparing the two traces shows that the second call never reaches the server.",
    "Let me look at the test that failed and run it alone before I change anything.",
    'The option is called "strict" in one module and "exact" in the other.',
    "Moving this check above the loop keeps the result and saves one allocation.",
    "A path such as C:\\temp\\build would break this; it needs a raw string.",
    "That leaves three files to edit, then the changelog and the type stubs.",
    "The user asked for a short answer, so the long explanation can go.",
    "Reading the log again: the retry happens after 30 s, not after 3 s.",
)
# Curly quotes and dashes, which models write all the time: two bytes a character in memory.
TYPOGRAPHIC_SENTENCES = (
    "It’s the second branch that matters — the first one can’t be reached.",
    "The setting “strict” isn’t read here; it’s read once, at start-up.",
    "Two ways: keep the index… or rebuild it on every call — slower, but simpler.",
    "The author’s note says “do not cache”, so we don’t.",
    "Das Ergebnis überrascht – für größere Dateien fällt die Prüfung weg.",
)
WIDE_SENTENCES = (
    "次のテストを確認してから、変更を加えます。",
    "这个函数在空列表上会返回错误的结果。",
    "Готово: осталось проверить границы массива.",
)
# Outside the basic plane: four bytes a character in memory.
EMOJI_SENTENCES = ("All green now ✅ — time to clean up 🧹.", "Found it 🎯: the “off by one” in the loop.")
TITLES = ("Planning the edit", "Weighing the fallback", "Tracing cache keys", "Checking the tests")


def compact(value: object) -> str:
    """JSON as fast-agent 0.10.48 stores it: no spaces, raw UTF-8."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def envelope(item: dict[str, object]) -> dict[str, object]:
    """The stored frame around one canonical item."""
    return {"schema": SCHEMA, "version": 1, "item": item}


@dataclass
class Source:
    """An endless supply of replay state and the text around it."""

    seed: int
    rng: random.Random = field(init=False)
    _recent: list[tuple[dict[str, object], str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)

    def hex_id(self, prefix: str, digits: int = 48) -> str:
        """An id as providers write it: a prefix and hexadecimal digits."""
        return f"{prefix}{self.rng.getrandbits(4 * digits):0{digits}x}"

    def uuid(self) -> str:
        """A random UUID in its usual spelling."""
        text = f"{self.rng.getrandbits(128):032x}"
        return f"{text[:8]}-{text[8:12]}-4{text[13:16]}-a{text[17:20]}-{text[20:]}"

    def fernet(self, length: int) -> str:
        """A token of about `length` characters: base64url, padded, 57 + 16k bytes, starts gAAAAA."""
        blocks = max(1, round((length * 3 / 4 - 57) / 16))
        seconds = 1_750_000_000 + self.rng.randrange(40_000_000)
        body = self.rng.randbytes(16 + 16 * blocks + 32)
        return base64.urlsafe_b64encode(b"\x80" + seconds.to_bytes(8) + body).decode()

    def signature(self, length: int) -> str:
        """An Anthropic signature of about `length` characters: standard base64, first byte 0x12."""
        return base64.b64encode(b"\x12" + self.rng.randbytes(max(180, length * 3 // 4))).decode()

    def ciphertext_length(self) -> int:
        """A length drawn from the distribution of real ciphertexts."""
        length = int(self.rng.lognormvariate(math.log(CIPHERTEXT_MEDIAN), CIPHERTEXT_SPREAD))
        return min(max(length, CIPHERTEXT_SHORTEST), CIPHERTEXT_LONGEST)

    def text(self, length: int, *, ascii_only: bool = True, emoji: bool = False) -> str:
        """Sentences of about `length` characters; with `ascii_only` off about one in two is not ASCII."""
        pools = [PLAIN_SENTENCES] if ascii_only else [PLAIN_SENTENCES, TYPOGRAPHIC_SENTENCES]
        if not ascii_only and self.rng.random() < 0.15:
            pools.append(WIDE_SENTENCES)
        if not ascii_only and emoji and self.rng.random() < 0.10:
            pools.append(EMOJI_SENTENCES)
        sentences = [] if ascii_only else [self.rng.choice(TYPOGRAPHIC_SENTENCES)]
        have = sum(map(len, sentences))
        while have < length:
            sentences.append(self.rng.choice(self.rng.choice(pools)))
            have += len(sentences[-1]) + 1
        return " ".join(sentences)

    def summary(self) -> list[dict[str, str]]:
        """Summary parts of one item: none in one item out of ten, else up to four."""
        ascii_only = self.rng.random() < 0.29
        parts = self.rng.choices((0, 1, 2, 3, 4), weights=(10, 30, 30, 20, 10))[0]
        return [self._summary_part(ascii_only=ascii_only) for _ in range(parts)]

    def _summary_part(self, *, ascii_only: bool) -> dict[str, str]:
        body = self.text(self.rng.randrange(160, 560), ascii_only=ascii_only, emoji=True)
        return {"type": "summary_text", "text": f"**{self.rng.choice(TITLES)}**\n\n{body}"}

    def item(self) -> dict[str, object]:
        """A canonical OpenAI reasoning item, its keys in stored order."""
        return {
            "type": "reasoning",
            "id": self.hex_id("rs_"),
            "summary": self.summary(),
            "encrypted_content": self.fernet(self.ciphertext_length()),
        }

    def record(self) -> tuple[str, dict[str, object], str]:
        """One stored record: (kind, item, the text in the history channel)."""
        kind = self.rng.choices([k for k, _ in KINDS], weights=[share for _, share in KINDS])[0]
        if kind in ("duplicate", "conflict") and not self._recent:
            kind = "canonical"
        item, text = self._record_of(kind)
        if kind in ("canonical", "other_writer"):
            self._recent = [*self._recent[-63:], (item, text)]
        return kind, item, text

    def _record_of(self, kind: str) -> tuple[dict[str, object], str]:
        if kind == "duplicate":
            return self.rng.choice(self._recent)
        item = self.item()
        if kind == "conflict":
            item["id"] = self.rng.choice(self._recent)[0]["id"]
        return item, STORED_FORMS[kind](item)


def _legacy_0_10_4(item: dict[str, object]) -> str:
    """Only three keys, default separators, ASCII escapes."""
    return json.dumps({key: item[key] for key in ("type", "encrypted_content", "id")})


def _legacy_0_10_11(item: dict[str, object]) -> str:
    """The dump of the SDK's model, with a null content."""
    dump = {key: item[key] for key in ("id", "summary", "type")}
    return json.dumps({**dump, "content": None, "encrypted_content": item["encrypted_content"]})


STORED_FORMS = {
    "canonical": lambda item: compact(envelope(item)),
    "conflict": lambda item: compact(envelope(item)),
    "other_writer": lambda item: json.dumps(envelope(item)),
    "legacy_0_10_4": _legacy_0_10_4,
    "legacy_0_10_11": _legacy_0_10_11,
}

# (ciphertext characters, summary parts, characters of a part) for envelopes of fixed sizes.
SIZES = {"500B": (248, 1, 50), "2KB": (1508, 1, 240), "8KB": (6600, 3, 400), "50KB": (47_000, 5, 500)}


def sized_items(size: str, count: int, *, ascii_only: bool, seed: int = 1) -> list[dict[str, object]]:
    """`count` different canonical items whose envelopes are about as long as `size` says."""
    source = Source(seed)
    length, parts, part_length = SIZES[size]
    return [
        {
            "type": "reasoning",
            "id": source.hex_id("rs_"),
            "summary": [
                {"type": "summary_text", "text": source.text(part_length, ascii_only=ascii_only)} for _ in range(parts)
            ],
            "encrypted_content": source.fernet(length),
        }
        for _ in range(count)
    ]
