//! One example for each thing that redaction must see, and for what it must leave alone.

use super::carriers::carriers;
use super::writing::{STYLES, Style, with, write};
use ostinato_core::envelope::parse;
use ostinato_core::redact::{MAX_DEPTH, Options, Why, bytes, text, view_json};
use ostinato_core::schema::provider;
use ostinato_core::validate::capture_text;
use ostinato_core::{Item, Limits};
use serde_json::{Value, json};

const TOKEN: &str = "gAAAAABn4rRGCANARYtqW9bLx0Zz8QkVd3f2aP7uHcMsJwYe";
const SIGNATURE: &str = "EqsVCkYIChgCKkDGfCANARYxz7Wq0pLm3Rt5Ty8Uu1Io2Pa4Sd6Fg9HjKlZxCvBnM==";

fn redact(given: &str) -> String {
    let redacted = text(given, Options::default());
    assert_eq!(text(&redacted.text, Options::default()).text, redacted.text, "once is enough");
    redacted.text
}

fn unchanged(given: &str) {
    assert_eq!(redact(given), given);
}

#[test]
fn every_carrier_is_redacted_however_it_is_written() {
    for carrier in carriers() {
        for style in STYLES {
            for backwards in [false, true] {
                for (state, reasoning) in [(SIGNATURE, "so CANARY it is"), ("sig-CANARY", "CANARY")] {
                    let filled = with(&carrier, state, reasoning);
                    let given = write(&filled, style, backwards);
                    let found = redact(&given);
                    assert!(!found.contains("CANARY") && !found.contains(&escaped("CANARY")), "{given}\n{found}");
                    if style != Style::Python {
                        let _: Value = serde_json::from_str(&found).expect(&found);
                    }
                    let inside = json!({ "body": given, "n": [given] });
                    for outer in [Style::Compact, Style::Python, Style::Ascii] {
                        let found = redact(&format!("10:00 DEBUG {} done", write(&inside, outer, false)));
                        assert!(!found.contains("CANARY"), "{outer:?} {style:?} {given}\n{found}");
                    }
                }
            }
        }
    }
}

fn escaped(text: &str) -> String {
    text.bytes().map(|byte| format!("\\u{byte:04x}")).collect()
}

#[test]
fn state_keeps_its_length_and_digest_and_parts_their_counts() {
    let given = r#"{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"ab"},{"type":"summary_text","text":"é"}],"encrypted_content":"x","content":[]}"#;
    let digest = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881";
    let expected = format!(
        r#"{{"type":"reasoning","id":"rs_1","summary":{{"parts":2,"bytes":4}},"encrypted_content":{{"redacted":true,"bytes":1,"sha256":"{digest}"}},"content":[]}}"#
    );
    assert_eq!(redact(given), expected);
}

#[test]
fn lengths_alone_leave_no_digest() {
    let options = Options { length_only: true, ..Options::default() };
    let redacted = text(&format!(r#"{{"encrypted_content":"{TOKEN}","id":"call__thought__{TOKEN}"}}"#), options);
    assert!(!redacted.text.contains("sha256"), "{}", redacted.text);
    assert_eq!(redacted.report.of(Why::Opaque).values, 2);
}

#[test]
fn reasoning_text_stays_when_it_is_asked_for_and_state_in_it_does_not() {
    let options = Options { reasoning_text: false, ..Options::default() };
    let given = format!(r#"{{"type":"thinking","thinking":"so it is {TOKEN}","signature":"s1"}}"#);
    let redacted = text(&given, options);
    assert!(redacted.text.contains("so it is [redacted"), "{}", redacted.text);
    assert!(!redacted.text.contains("CANARY") && !redacted.text.contains("\"s1\""));
    assert_eq!(redacted.report.of(Why::ReasoningText).values, 0);
}

#[test]
fn both_spellings_of_the_same_bytes_have_one_digest() {
    let one = redact(r#"{"thoughtSignature":"+/+/AAAA"}"#);
    assert_eq!(
        one.replace("thoughtSignature", ""),
        redact(r#"{"thought_signature":"-_-_AAAA"}"#).replace("thought_signature", "")
    );
}

#[test]
fn nothing_else_changes() {
    for given in [
        r#"{"id":"msg_1","content":"plain","n":1.50,"big":12345678901234567890123,"u":"\u00e9\ud83d"}"#,
        r#"{"reasoning":{"effort":"high","summary":"auto"},"thinking":{"type":"enabled","budget_tokens":1024}}"#,
        r#"{"include":["reasoning.encrypted_content"],"usage":{"output_tokens_details":{"reasoning_tokens":64}}}"#,
        r#"{"encrypted_content":null,"signature":"","thinking":"","summary":[],"reasoning_tokens":5,"thought":false}"#,
        r#"{"properties":{"reasoning":{"type":"string","description":"Why you chose it"}}}"#,
        r#"{"symbol":"f","signature":"def f(a: int) -> str"}"#,
        r#"{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4"}}"#,
        r#"{"url":"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4aBcDeFgHjKlZxCv9"}"#,
        r#"{"integrity":"sha512-Zx8Qw3eRt5Yu7Io9Pa1Sd2Fg4Hj6Kl8Zx0Cv2Bn4Ma6Qw8Er0Ty2Ui4Op6As8Df0Gh2Jk4Lz6Xc8Vb0Nm2Qw4E=="}"#,
        r#"{"thoughtSignature":"skip_thought_signature_validator"}"#,
        "def redact(value: object, *, reasoning_text: bool = True, length_only: bool = False) -> Redacted:",
        "static REASONING_CONTENT: ObjectSpec = ObjectSpec { fields: &[] };",
        "I was thinking: the signature of f is (a, b) -> c; see [1] and {x}.",
        "path /Users/somebody/Projects/ostinato/rust/core/src/redact/and/much/further/down/the/tree/of/files/Main2.rs",
    ] {
        unchanged(given);
    }
}

#[test]
fn spelling_of_keys_does_not_matter() {
    for key in [
        "encrypted\\u005fcontent",
        "\\u0065ncrypted_content",
        "Encrypted-Content",
        "ENCRYPTED_CONTENT",
        "encryptedContent",
    ] {
        assert!(!redact(&format!(r#"{{"{key}":"x1"}}"#)).contains("x1"), "{key}");
    }
}

#[test]
fn every_one_of_equal_keys_is_redacted() {
    let found = redact(
        r#"{"type":"x","signature":"s-1","type":"thinking","signature":"s-2","thinking":"t-1","thinking":"t-2"}"#,
    );
    assert!(
        !found.contains("s-1") && !found.contains("s-2") && !found.contains("t-1") && !found.contains("t-2"),
        "{found}"
    );
}

#[test]
fn what_an_object_claims_beside_hides_nothing() {
    for beside in [r#""type":"string""#, r#""mimeType":"image/png""#, r#""type":"x","kind":"null""#] {
        let found = redact(&format!(r#"{{{beside},"type":"thinking","signature":"s-1","data":"{TOKEN}"}}"#));
        assert!(!found.contains("s-1") && !found.contains("CANARY"), "{found}");
        let inner = r#"{\"encrypted_content\":\"s-1\"}"#;
        assert!(!redact(&format!(r#"{{{beside},"data":"{inner}","x":"{TOKEN}"}}"#)).contains("s-1"));
    }
}

#[test]
fn deep_values_need_little_stack() {
    let run = || {
        let deep = "{\"thinking\":[".repeat(MAX_DEPTH) + "\"SECRET\"" + &"]}".repeat(MAX_DEPTH);
        let deep = json!({"body": json!({"body": deep}).to_string(), "x": deep}).to_string();
        assert!(!redact(&deep).contains("SECRET"));
    };
    // Threads of Python have half a megabyte on some systems.
    std::thread::Builder::new().stack_size(256 << 10).spawn(run).unwrap().join().unwrap();
}

#[test]
fn values_of_the_wrong_type_are_redacted_whole() {
    for value in [r#"{"a":"SECRET"}"#, r#"["SECRET"]"#, "[18,52,7]"] {
        let found = redact(&format!(r#"{{"thoughtSignature":{value},"type":"thinking","signature":{value}}}"#));
        assert!(!found.contains("SECRET") && !found.contains("52"), "{found}");
    }
}

#[test]
fn a_mark_that_is_none_is_redacted() {
    for fake in [
        r#"{"redacted":true,"bytes":"SECRET"}"#,
        r#"{"redacted":true,"bytes":1,"sha256":"SECRET"}"#,
        r#"{"redacted":true,"bytes":1,"more":"SECRET"}"#,
        r#""[redacted 5 bytes] SECRET""#,
        r#""[redacted 5 bytes, sha256 SECRET]""#,
    ] {
        let found = redact(&format!(r#"{{"encrypted_content":{fake}}}"#));
        assert!(!found.contains("SECRET"), "{found}");
    }
}

#[test]
fn reprs_of_sdk_objects_are_read() {
    let given = format!(
        "Item(id='rs_1', summary=[Summary(text='S one', type='summary_text')], encrypted_content='{TOKEN}', status=None) \
         ThinkingBlock(signature='sig-1', thinking=\"it's S two\", type='thinking') Part(thought_signature=b'\\x12SECRET')"
    );
    let found = redact(&given);
    for absent in ["CANARY", "S one", "S two", "sig-1", "SECRET"] {
        assert!(!found.contains(absent), "{found}");
    }
    assert!(found.contains("id='rs_1'") && found.contains("status=None"), "{found}");
}

#[test]
fn log_lines_without_structure_are_redacted() {
    for given in [
        format!("level=debug encrypted_content={TOKEN} done=true"),
        format!("got token {TOKEN}, next"),
        format!("https://example.com/?state={TOKEN}&x=1"),
        format!("state=%22{TOKEN}%22"),
        format!("{{\\\"encrypted_content\\\":\\\"{TOKEN}\\\"}}"),
        format!(
            "body=\"{{\\\"type\\\":\\\"thinking\\\",\\\"signature\\\":\\\"{SIGNATURE}\\\",\\\"thinking\\\":\\\"CANARY is it\\\"}}\""
        ),
        "thinking=\"a CANARY {b}\" n=1".to_owned(),
        "reasoning_content=so CANARY it is level=info".to_owned(),
        "\x1b[34;1m\"type\"\x1b[0m\x1b[1;39m:\x1b[0;32m\"thinking\"\x1b[0m,\x1b[34;1m\"thinking\"\x1b[0m:\x1b[32m\"CANARY\"\x1b[0m".to_owned(),
        "\x1b[1;39m{\x1b[0m\x1b[34;1m\"type\"\x1b[0m:\x1b[32m\"reasoning\"\x1b[0m,\x1b[34;1m\"text\"\x1b[0m:\x1b[32m\"CANARY\"\x1b[0m}".to_owned(),
        "signature: Some(\"sig-CANARY-0123456\"), reasoning_content: Some(\"CANARY\")".to_owned(),
        "reasoning_content: Okay, CANARY is it (or not)".to_owned(),
        "reasoning_content: 所以 CANARY".to_owned(),
        "reasoning_content: 1. First CANARY".to_owned(),
        "signature: EqsVCkYIChgCKkDGfCANARY4".to_owned(),
        "<thinking>CANARY, and no end".to_owned(),
        format!("&quot;encrypted_content&quot;:&quot;{SIGNATURE}&quot;"),
        format!("  {SIGNATURE}\",\"id\":\"x\"}}"),
        "<encrypted_content>CANARY</encrypted_content>".to_owned(),
    ] {
        let found = redact(&given);
        assert!(!found.contains("CANARY"), "{given}\n{found}");
    }
}

#[test]
fn inline_reasoning_is_taken_out_of_visible_text() {
    let found = redact(r#"{"content":"<think>\nso it is\n</think>Hello"}"#);
    assert_eq!(found, r#"{"content":"<think>[redacted 10 bytes]</think>Hello"}"#);
    assert!(!redact(r#"{"content":"so it is</think>Hello"}"#).contains("so it"));
    assert!(!redact(r#"{"content":"\u003cthink\u003eso it is"}"#).contains("so it"));
    unchanged(r#"{"content":"Write <think> and go on"}"#);
}

#[test]
fn a_text_cut_inside_state_shows_no_piece_of_it() {
    let given = format!(r#"{{"type":"reasoning","id":"rs_1","encrypted_content":"{SIGNATURE}"}}"#);
    let start = given.find(SIGNATURE).unwrap();
    for end in start + 1..given.len() {
        let found = redact(&given[..end]);
        assert!(!found.contains(&SIGNATURE[..1.max((end - start).min(SIGNATURE.len()))]), "{found}");
    }
}

#[test]
fn a_mark_does_not_turn_what_stands_around_it_into_a_text() {
    // Short of what counts as a text before the inner value is replaced, longer afterwards.
    let inner = r#"{\"type\":\"summary_text\",\"text\":\"A\"}"#;
    for name in ["type", "reasoning_x"] {
        let given = format!(r#"{{"{name}":"reasoning:{}:{inner}"}}"#, "x".repeat(50));
        assert!(!redact(&given).contains(r#"\"A\""#));
    }
}

#[test]
fn state_in_keys_is_redacted() {
    let found = redact(&format!(r#"{{"{TOKEN}":1,"call_1__thought__{SIGNATURE}":2}}"#));
    assert!(!found.contains("CANARY"), "{found}");
    let _: Value = serde_json::from_str(&found).unwrap();
}

#[test]
fn json_in_base64_is_looked_into() {
    // {"type":"content_block_delta","delta":{"type":"signature_delta","signature":"CANARY"}}
    let event = "eyJ0eXBlIjoiY29udGVudF9ibG9ja19kZWx0YSIsImRlbHRhIjp7InR5cGUiOiJzaWduYXR1cmVfZGVsdGEiLCJzaWduYXR1cmUiOiJDQU5BUlkifX0=";
    let found = redact(&format!(r#"{{"chunk":{{"bytes":"{event}"}}}}"#));
    assert!(!found.contains(&event[90..]), "{found}");
    // {"type":"thinking_delta","thinking":"CANARY it is"}
    let event = "eyJ0eXBlIjoidGhpbmtpbmdfZGVsdGEiLCJ0aGlua2luZyI6IkNBTkFSWSBpdCBpcyJ9";
    assert!(!redact(&format!(r#"{{"bytes":"{event}"}}"#)).contains(event));
    // {"type":"content_block_delta","delta":{"type":"text_delta","text":"Hello, world, and hello"}}
    let event = "eyJ0eXBlIjoiY29udGVudF9ibG9ja19kZWx0YSIsImRlbHRhIjp7InR5cGUiOiJ0ZXh0X2RlbHRhIiwidGV4dCI6IkhlbGxvLCB3b3JsZCwgYW5kIGhlbGxvIn19";
    unchanged(&format!(r#"{{"chunk":{{"bytes":"{event}"}}}}"#));
}

#[test]
fn what_is_too_deep_is_replaced() {
    let deep = MAX_DEPTH + 10;
    let given = format!("{}{{\"signature\":\"SECRET\",\"type\":\"thinking\"}}{}", "[".repeat(deep), "]".repeat(deep));
    let found = redact(&given);
    assert!(!found.contains("SECRET") && found.contains("redacted"), "{found}");
    let (open, close) = found.split_once("{\"redacted\":true").unwrap();
    assert!(open.bytes().all(|byte| byte == b'[') && close.ends_with(&"]".repeat(MAX_DEPTH)), "{found}");
    let mut nested = r#"{"type":"thinking","signature":"SECRET"}"#.to_owned();
    for _ in 0..10 {
        nested = json!({ "body": nested }).to_string();
    }
    assert!(!redact(&nested).contains("SECRET"));
    // Half a million brackets are no problem either way.
    let open = format!("{}\"signature\"", "[{(".repeat(200_000));
    assert!(bytes(open.as_bytes(), Options::default()).text.len() <= open.len() + 200);
}

#[test]
fn bytes_that_are_no_text_stay_where_they_are() {
    let given = b"\xff\xfe{\"type\":\"thinking\",\"signature\":\"SEC\xffRET\"} {\"x\":\"\xff\"}\x80";
    let found = bytes(given, Options::default()).text;
    assert!(found.starts_with(b"\xff\xfe{") && found.ends_with(b" {\"x\":\"\xff\"}\x80"));
    assert!(!found.windows(3).any(|window| window == b"SEC" || window == b"RET"));
}

#[test]
fn a_report_counts_by_class_and_name() {
    let given =
        format!(r#"[{{"type":"thinking","thinking":"abc","signature":"s1"}},{{"encrypted_content":"{TOKEN}"}}]"#);
    let report = text(&given, Options::default()).report;
    let rows: Vec<_> = report.rows().map(|(why, label, count)| (why, label, count.values, count.bytes)).collect();
    let token = TOKEN.len() as u64;
    assert_eq!(
        rows,
        [
            (Why::Opaque, "encrypted_content", 1, token),
            (Why::Opaque, "signature", 1, 2),
            (Why::ReasoningText, "thinking", 1, 3)
        ]
    );
    let json: Value = serde_json::from_str(&report.to_json()).unwrap();
    assert_eq!(json["opaque"]["fields"]["signature"], json!({"values": 1, "bytes": 2}));
    assert_eq!(json["values"], 3);
}

#[test]
fn a_view_shows_words_and_lengths_of_an_item() {
    let stored = r#"{"schema":"fast-agent.openai-responses.reasoning-replay","version":1,"item":{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"S one"}],"encrypted_content":"gAAAAA-case-130"}}"#;
    let envelope = parse(stored, &Limits::default()).unwrap();
    let shown = view_json(Item::new(&envelope.text, &envelope.view), Options::default());
    assert_eq!(
        shown,
        r#"{"wire":"openai-responses","kind":"reasoning","fields":{"type":"reasoning","id":"rs_1","summary":{"parts":1,"bytes":5},"encrypted_content":{"redacted":true,"bytes":15,"sha256":"f4feebbb32dd252810df652fb85ff61528d1d79305d7f6186cfd7a9e3dfa9931"}}}"#
    );
    let part = r#"{"text":"hi","functionCall":{"name":"f","args":{"x":"SECRET"}},"thoughtSignature":"U0lH"}"#;
    let (item, _) =
        capture_text(part, provider("gemini-generate-content", None).unwrap(), None, &Limits::default()).unwrap();
    let shown = view_json(Item::new(&item.json, &item.view), Options { length_only: true, ..Options::default() });
    assert_eq!(
        shown,
        r#"{"wire":"gemini-generate-content","kind":"part","fields":{"text":{"redacted":true,"bytes":2},"functionCall":{"bytes":34},"thoughtSignature":{"redacted":true,"bytes":4}}}"#
    );
}

#[test]
fn no_text_takes_more_than_its_length() {
    // Each of these would take hours, were anything looked for again and again.
    let deep = "[".repeat(MAX_DEPTH);
    for piece in [
        "<think>",
        "<think>\n",
        "think",
        "gAAAA",
        "reasoning_text: x_y ",
        "signature=\"x signature='y ",
        "[",
        "[(",
        "{\"a\":",
        "[(]",
        "\"",
        "\\",
        "\\\"",
        "'",
        "{'",
        "(a",
        "a(",
        "eyJ0",
        "__thought__",
        "\u{1b}[",
        "\u{1b}[1m",
        "= ",
        "&quot;",
        "[redacted 5",
        "\"signature\": \"",
        "{\"redacted\":true,",
        "</think>",
        "a=\"",
        "\\u0022",
        "data:",
        "=",
        "{\"type\":\"thinking\",\"thinking\":[",
    ] {
        for given in [piece.repeat(1_000_000 / piece.len()), format!("{deep}{}", piece.repeat(1_000_000 / piece.len()))]
        {
            let start = std::time::Instant::now();
            bytes(given.as_bytes(), Options::default());
            assert!(start.elapsed().as_secs() < 10, "{piece:?} took {:?}", start.elapsed());
        }
    }
}
