//! Each rule of measuring by the smallest history that shows it.
#![allow(clippy::unwrap_used, clippy::panic)] // what tests share is no test to clippy

use ostinato_core::scan::{Options, Progress, scan};
use serde_json::{Value, json};
use std::path::Path;

/// Measures one file with this content.
fn file(content: impl AsRef<[u8]>) -> Value {
    measured(content)["files"][0].take()
}

fn measured(content: impl AsRef<[u8]>) -> Value {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("history"), content).unwrap();
    of(folder.path())
}

fn of(path: &Path) -> Value {
    scan(&[path.to_path_buf()], &Options { timing: false, ..Options::default() }, &Progress::default()).to_json()
}

/// A rollout with these items.
fn codex(items: &[Value]) -> Value {
    let record = |item: &Value| json!({"type": "response_item", "payload": item}).to_string() + "\n";
    file(items.iter().map(record).collect::<String>())
}

fn user(text: &str) -> Value {
    json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]})
}

fn reasoning(id: Option<&str>, summary: &[&str], state: &str) -> Value {
    let parts: Vec<Value> = summary.iter().map(|text| json!({"type": "summary_text", "text": text})).collect();
    let mut item = json!({"type": "reasoning", "summary": parts, "encrypted_content": state});
    if let Some(id) = id {
        item["id"] = id.into();
    }
    item
}

fn answer(text: &str) -> Value {
    json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]})
}

/// A token as OpenAI makes it: this many blocks, made at this time.
fn token(blocks: usize, time: u64, fill: u8) -> String {
    use base64::Engine;
    let mut bytes = vec![0x80];
    bytes.extend(time.to_be_bytes());
    bytes.resize(57 + 16 * blocks, fill);
    base64::engine::general_purpose::URL_SAFE.encode(bytes)
}

#[test]
fn each_request_carries_all_state_before_it() {
    let call = json!({"type": "function_call", "call_id": "c", "name": "lookup", "arguments": "{}"});
    let result = json!({"type": "function_call_output", "call_id": "c", "output": "ok"});
    let items = [
        user("hi"),
        reasoning(Some("rs_1"), &["AB", "C"], &"E".repeat(40)),
        call,
        result,
        reasoning(Some("rs_2"), &[], &"F".repeat(60)),
        answer("done"),
        user("x"),
    ];
    let replay = |upto: usize| codex(&items[..upto])["replay"].clone();
    let (one, two, three) = (replay(1), replay(4), replay(7));
    assert_eq!(one, json!({"requests": 1, "final_request_bytes": 0, "cumulative_bytes": 0}));
    assert_eq!(two, json!({"requests": 2, "final_request_bytes": 40, "cumulative_bytes": 40}));
    assert_eq!(three, json!({"requests": 3, "final_request_bytes": 100, "cumulative_bytes": 140}));
    assert_eq!(codex(&items)["turns"], 2);
}

#[test]
fn a_compacted_history_is_sent_from_then_on() {
    let state = "G".repeat(50);
    let item = reasoning(None, &[], &state);
    let compacted = json!({"type": "compacted", "payload": {"message": "", "replacement_history": [user("hi"), item]}});
    let first = json!({"type": "response_item", "payload": item});
    let next = json!({"type": "response_item", "payload": user("go on")});
    let found = file(format!("{first}\n{compacted}\n{compacted}\n{next}\n"));
    let by_record = json!({"response_item": 50, "compacted": 100});
    let by_kind = json!({"openai.reasoning": 150});
    assert_eq!(found["state"], json!({"bytes": 150, "unique_bytes": 50, "by_record": by_record, "by_kind": by_kind}));
    assert_eq!(found["replacement_history_items"], 4);
    assert_eq!(found["items"], json!({"openai.reasoning": 1}));
    assert_eq!(found["nested"], json!({"openai.reasoning": 2}));
    assert_eq!(found["replay"]["final_request_bytes"], 50);
}

#[test]
fn text_to_show_is_told_apart_from_text_to_replay() {
    let shown = json!({"type": "event_msg", "payload": {"type": "agent_reasoning", "text": "Plan it."}});
    let other = json!({"type": "event_msg", "payload": {"type": "agent_reasoning", "text": "Something else"}});
    let item = json!({"type": "response_item", "payload": reasoning(Some("rs_1"), &["Plan it."], &"H".repeat(30))});
    let found = file(format!("{shown}\n{item}\n{other}\n"));
    assert_eq!(found["display"], json!({"texts": 2, "bytes": 22, "repeated": 1, "repeated_bytes": 8}));
    assert_eq!(found["text"]["summary_bytes"], 8);
    assert_eq!(found["state"]["bytes"], 30);
}

#[test]
fn reasoning_tokens_are_reported_or_unknown_but_never_guessed() {
    let silent = codex(&[reasoning(None, &[], &"I".repeat(1000))]);
    let unknown = json!({"reports": 0, "reasoning": null, "state_bytes": null, "state_bytes_per_token": null});
    assert_eq!(silent["tokens"], unknown);
    let count = |total: u64| {
        let usage = json!({"reasoning_output_tokens": total});
        json!({"type": "event_msg", "payload": {"type": "token_count", "info": {"total_token_usage": usage}}})
    };
    // The running total comes more than once.
    let found = file(format!("{}\n{}\n{}\n", count(30), count(50), count(50)));
    let tokens = &found["tokens"];
    assert_eq!((&tokens["reports"], &tokens["reasoning"]), (&json!(3), &json!(50)));
}

#[test]
fn a_signature_is_measured_where_thinking_is_empty() {
    let block = |thinking: &str, letter: &str, length: usize| {
        let block = json!({"type": "thinking", "thinking": thinking, "signature": letter.repeat(length)});
        let message = json!({"role": "assistant", "id": "msg_1", "content": [block]});
        json!({"type": "assistant", "parentUuid": null, "message": message}).to_string() + "\n"
    };
    let found = file(block("", "S", 4000) + &block("short", "T", 500));
    assert_eq!(found["format"], "claude_code");
    assert_eq!(found["thinking"], json!({"blocks": 2, "empty_text": 1}));
    assert_eq!(found["text"]["thinking_bytes"], 5);
    assert_eq!(found["state"]["bytes"], 4500);
    assert_eq!(found["responses"], 1);
}

#[test]
fn the_same_id_with_another_ciphertext_is_encrypted_anew_or_a_conflict() {
    let (done, completed) = (token(9, 1_700_000_000, 1), token(9, 1_700_000_030, 2));
    let (later, longer) = (token(9, 1_700_009_000, 3), token(12, 1_700_000_030, 4));
    let id = Some("rs_1");
    let repeats = |items: &[Value]| {
        let found = codex(items);
        (found["repeats"].clone(), found["ids"]["with_several_values"].as_u64().unwrap())
    };
    let none = json!({"exact_duplicate": 0, "ciphertext_shared": 0, "re_encrypted": 0, "id_ciphertext_conflict": 0});
    let with = |name: &str, count: u64| {
        let mut repeats = none.clone();
        repeats[name] = count.into();
        repeats
    };
    let item = |state: &str| reasoning(id, &[], state);
    assert_eq!(repeats(&[item(&done), item(&done)]), (with("exact_duplicate", 1), 0));
    assert_eq!(repeats(&[item(&done), item(&completed)]), (with("re_encrypted", 1), 1));
    assert_eq!(repeats(&[item(&done), item(&later)]), (with("id_ciphertext_conflict", 1), 1));
    assert_eq!(repeats(&[item(&done), item(&longer)]), (with("id_ciphertext_conflict", 1), 1));
    assert_eq!(repeats(&[item(&done), reasoning(Some("rs_2"), &[], &done)]), (with("ciphertext_shared", 1), 0));
    assert_eq!(repeats(&[reasoning(None, &[], &done), reasoning(None, &[], &done)]), (with("exact_duplicate", 1), 0));
}

#[test]
fn stored_records_are_told_apart_by_generation_and_refusals_by_code() {
    let item = r#"{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"gAAAAAB-x"}"#;
    let frame = |version: &str| {
        format!(r#"{{"schema":"fast-agent.openai-responses.reasoning-replay","version":{version},"item":{item}}}"#)
    };
    let texts = [
        frame("1"),
        frame("2"),
        frame("true"),
        r#"{"type":"reasoning","encrypted_content":"gAAAAAB-x","id":"rs_1"}"#.to_owned(),
        r#"{"id":"rs_1","summary":[],"type":"reasoning","content":null,"encrypted_content":"gAAAAAB-x"}"#.to_owned(),
        frame("1").replace(r#""id":"rs_1""#, r#""id":"rs_1","status":null"#),
        "{\"schema\":".to_owned(),
        "[]".to_owned(),
    ];
    let blocks: Vec<Value> = texts.iter().map(|text| json!({"type": "text", "text": text})).collect();
    let message = json!({"role": "assistant", "content": [], "channels": {"openai-reasoning-encrypted": blocks}, "is_template": false});
    let found = file(json!({"messages": [message]}).to_string());
    assert_eq!(found["generation"], json!({"canonical": 1, "unknown": 2, "minimal": 1, "snapshot": 1, "malformed": 3}));
    let refused = json!({
        "legacy_minimal": 1, "legacy_snapshot": 1, "not_an_envelope": 1, "truncated": 1, "unknown_field": 1,
        "version_not_integer": 1, "version_unknown": 1,
    });
    assert_eq!(found["refused"], refused);
    assert_eq!(found["items"], json!({"openai.reasoning": 6}));
}

#[test]
fn a_file_that_ends_inside_a_line_keeps_what_came_before() {
    let good = json!({"type": "response_item", "payload": reasoning(None, &[], "gAAAAA-case-129")}).to_string();
    let found = file(format!("{good}\n{{\"type\":\"response_item\",\"payload\":{{\"type\":\"mess"));
    assert_eq!(found["items"], json!({"openai.reasoning": 1}));
    assert_eq!(found["problem_lines"], json!([{"code": "truncated", "line": 2}]));
    assert_eq!(found["unreadable_bytes"], 47);
    assert_eq!((&found["records"], &found["lines"]), (&json!(1), &json!(2)));
}

#[test]
fn a_line_with_half_a_surrogate_is_named_and_the_rest_is_read() {
    let good = json!({"type": "response_item", "payload": reasoning(None, &[], "gAAAAA-case-116")}).to_string();
    let bad = json!({"type": "response_item", "payload": answer("cut HALF")}).to_string().replace("HALF", "\\ud83d");
    let pair =
        json!({"type": "response_item", "payload": answer("cut PAIR")}).to_string().replace("PAIR", "\\ud83d\\ude00");
    let found = file(format!("{good}\n{bad}\n{pair}\n{good}\n"));
    assert_eq!(found["items"], json!({"openai.reasoning": 2}));
    assert_eq!(found["problem_lines"], json!([{"code": "lone_surrogate", "line": 2}]));
}

#[test]
fn half_a_surrogate_before_a_stored_record_is_named_too() {
    let record = r#"{"schema":"fast-agent.openai-responses.reasoning-replay","version":1,"item":{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"x"}}"#;
    let blocks = json!([{"type": "text", "text": record}]);
    let question = json!({"role": "user", "content": [{"type": "text", "text": "HALF"}], "is_template": false});
    let reply = json!({"role": "assistant", "content": [], "channels": {"openai-reasoning-encrypted": blocks}});
    let found = file(json!({"messages": [question, reply]}).to_string().replace("HALF", "\\uDE00"));
    assert_eq!((&found["problems"], &found["generation"]), (&json!({"lone_surrogate": 1}), &json!({"canonical": 1})));
}

#[test]
fn bad_lines_are_counted_by_code_and_the_next_line_is_read() {
    let good = json!({"type": "response_item", "payload": user("hi")}).to_string();
    let mut content = format!("{good}\nnot json\n\n").into_bytes();
    content.extend(b"{\"type\":\"\xff\"}\n");
    content.extend(format!("{good} {good}\n{good} x\n").bytes());
    let found = file(content);
    assert_eq!(found["records"], 4);
    assert_eq!(found["lines"], 5); // the blank one is none
    assert_eq!(found["lines_with_several_values"], 1);
    assert_eq!(found["problems"], json!({"not_json": 2, "not_utf8": 1}));
    let named = json!([
        {"code": "not_json", "line": 2}, {"code": "not_utf8", "line": 4}, {"code": "not_json", "line": 6},
    ]);
    assert_eq!(found["problem_lines"], named);
    assert_eq!(found["unreadable_bytes"], 8 + 12);
}

#[test]
fn a_cut_document_keeps_its_whole_messages() {
    let message = |role: &str| json!({"role": role, "content": [{"type": "text", "text": "x"}], "is_template": false});
    let whole = json!({"messages": [message("user"), message("assistant"), message("user")]}).to_string();
    let cut = file(&whole[..whole.len() - 20]);
    assert_eq!((&cut["messages"], &cut["records"]), (&json!(2), &json!(0)));
    assert_eq!(cut["problems"], json!({"truncated": 1}));
    assert!(cut["unreadable_bytes"].as_u64().unwrap() > 0);
    let unclosed = file(&whole[..whole.len() - 2]);
    assert_eq!((&unclosed["messages"], &unclosed["problems"]), (&json!(3), &json!({"truncated": 1})));
}

#[test]
fn nesting_beyond_all_measure_is_counted() {
    let deep = "[".repeat(3_000_000);
    let document = file(format!(r#"{{"messages":[{{"role":"user","is_template":false,"content":{deep}"#));
    assert_eq!((&document["format"], &document["problems"]), (&json!("fast_agent"), &json!({"too_deep": 1})));
    let line =
        file(format!("{}\n{{\"type\":\"event_msg\",\"payload\":{deep}\n", json!({"type": "event_msg", "payload": {}})));
    assert_eq!((&line["records"], &line["problems"]), (&json!(1), &json!({"too_deep": 1})));
}

#[test]
fn values_over_several_lines_and_one_after_another_are_read() {
    let record = json!({"type": "response_item", "payload": reasoning(None, &["a"], "x")});
    let pretty = serde_json::to_string_pretty(&record).unwrap();
    let found = file(format!("{pretty}\n{pretty}{pretty}"));
    assert_eq!((&found["records"], &found["problems"]), (&json!(3), &json!({})));
    assert_eq!(found["items"], json!({"openai.reasoning": 3}));
}

#[test]
fn a_record_beyond_the_limit_is_counted_and_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rollout.jsonl");
    let good = json!({"type": "response_item", "payload": user("hi")}).to_string();
    let large = json!({"type": "response_item", "payload": user(&"x".repeat(5000))}).to_string();
    std::fs::write(&path, format!("{good}\n{large}\n{good}\n")).unwrap();
    let options = Options { chunk_bytes: 256, max_record_bytes: 1000, timing: false, ..Options::default() };
    let found = scan(&[path], &options, &Progress::default()).to_json()["files"][0].take();
    assert_eq!((&found["records"], &found["lines"]), (&json!(2), &json!(3)));
    assert_eq!(found["problem_lines"], json!([{"code": "too_large", "line": 2}]));
    assert_eq!(found["unreadable_bytes"], large.len());
}

#[test]
fn files_of_no_known_format_are_named_and_skipped() {
    let looks_like = |content: &[u8]| measured(content)["skipped"][0]["looks_like"].take();
    assert_eq!(looks_like(b""), "empty");
    assert_eq!(looks_like(b"hello"), "text");
    assert_eq!(looks_like(b"\x00\x01"), "binary");
    assert_eq!(looks_like(b"SQLite format 3\0..."), "sqlite");
    assert_eq!(looks_like(b"PK\x03\x04..."), "zip");
    assert_eq!(
        looks_like(b"{\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}],\"model\":\"m\"}"),
        "json_of_another_format"
    );
    assert_eq!(measured("hello")["files"], json!([]));
}

#[test]
fn a_path_that_is_not_there_is_an_error_beside_the_rest() {
    let found = of(Path::new("no such folder"));
    assert_eq!(found["errors"], json!([{"path": "no such folder", "code": "not_found"}]));
    assert_eq!(found["total"]["files"], 0);
}

#[cfg(unix)]
#[test]
fn a_history_that_others_may_read_is_reported() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("history");
    std::fs::write(&path, json!({"type": "response_item", "payload": user("hi")}).to_string()).unwrap();
    let set = |path: &Path, mode| std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
    set(&path, 0o644);
    set(folder.path(), 0o755);
    let open = of(folder.path());
    let finding = |kind: &str, mode: &str, wanted: &str| json!([{"code": "permissive_mode", "path_kind": kind, "mode": mode, "wanted": wanted}]);
    assert_eq!(open["files"][0]["findings"], finding("file", "0644", "0600"));
    assert_eq!(open["folders"][0]["findings"], finding("dir", "0755", "0700"));
    assert_eq!(open["total"]["permissive_mode"], json!({"file": 1, "dir": 1}));
    set(&path, 0o600);
    set(folder.path(), 0o700);
    let private = of(folder.path());
    assert_eq!(private["files"][0]["findings"], json!([]));
    assert_eq!(private["total"]["permissive_mode"], json!({"file": 0, "dir": 0}));
}

#[test]
fn the_payload_comparison_gives_what_fast_agent_stored_and_sent() {
    // Measured from runs of the three versions with the same script: 30 items, 21 requests.
    let history =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/fast_agent/v0.10.11-tool_loop/history_coder.json");
    let found = of(&history)["files"][0].take();
    let form = |stored: u64, last: u64, all: u64| json!({"stored_bytes": stored, "final_request_bytes": last, "cumulative_bytes": all});
    let payload = &found["payload"];
    assert_eq!(payload["legacy_fallback"], form(61_024, 76_654, 725_893));
    assert_eq!(payload["raw_snapshot"], form(72_104, 69_827, 674_693));
    assert_eq!(payload["canonical_envelope"], form(73_244, 69_414, 670_491));
    assert_eq!((&payload["items"], &found["replay"]["requests"]), (&json!(30), &json!(21)));
    assert_eq!((&found["display"]["bytes"], &found["text"]["summary_bytes"]), (&json!(7_773), &json!(7_717)));
    assert_eq!(found["turns"], 6);
}

fn lines(records: &[Value]) -> String {
    records.iter().map(|record| record.to_string() + "\n").collect()
}

fn session(records: &[Value]) -> Value {
    let header = json!({"schema": "ostinato.session", "version": 1, "session": "s", "created": 0, "sha256": ""});
    file(lines(&[&[header], records].concat()))
}

fn stored(record: Value, envelopes: &[&str], derived: bool) -> Value {
    let replay = json!([{"item": 0, "envelopes": envelopes, "fills": ["encrypted_content"], "derived": derived}]);
    let replay = if envelopes.is_empty() { json!([]) } else { replay };
    json!({"record": "message", "message": record, "bytes": [], "replay": replay})
}

#[test]
fn the_state_of_a_session_is_that_of_its_envelopes() {
    let state = "J".repeat(50);
    let envelope = format!(
        r#"{{"schema":"fast-agent.openai-responses.reasoning-replay","version":1,"item":{{"type":"reasoning","id":"rs_1","summary":[{{"type":"summary_text","text":"Plan"}}],"encrypted_content":"{state}"}}}}"#
    );
    let asked = stored(json!({"role": "user", "content_items": [{"type": "text.done", "text": "hi"}]}), &[], false);
    let result = json!({"role": "user", "content_items": [{"type": "tool_result.done", "text": "1"}]});
    let thought = json!({"type": "thinking.done", "thinking": "Plan", "fidelity": {"encrypted_content": null}});
    let answer = json!({"role": "assistant", "content_items": [thought], "usage_metadata": {"thoughts_tokens": 9}});
    let answer = stored(answer, &[&envelope], true);
    let records = [asked.clone(), answer.clone(), stored(result, &[], false), answer, asked];
    let found = session(&records);
    assert_eq!(found["format"], "ostinato_session");
    assert_eq!((&found["messages"], &found["sessions"], &found["turns"]), (&json!(5), &json!(1), &json!(2)));
    assert_eq!(found["items"], json!({"openai.reasoning": 2}));
    assert_eq!(found["repeats"]["exact_duplicate"], 1);
    assert_eq!(found["tokens"]["reasoning"], 18);
    assert_eq!(found["display"], json!({"texts": 2, "bytes": 8, "repeated": 2, "repeated_bytes": 8}));
    assert_eq!(found["replay"], json!({"requests": 3, "final_request_bytes": 100, "cumulative_bytes": 150}));
    let history = json!({"record": "history", "turn": 9, "epoch": 1, "messages": 0, "sha256": ""});
    let anew = session(&[&records[..], &[history, records[0].clone()]].concat());
    assert_eq!(
        anew["replay"]["final_request_bytes"], 0,
        "a conversation that begins anew sends nothing of the old one"
    );
}

#[test]
fn what_a_session_cannot_replay_is_counted_by_name() {
    let state = "K".repeat(60);
    let kept = json!({"type": "thinking.done", "thinking": "", "fidelity": {
        "signature": state, "other": state, "reasoning_details": [{"data": state}, {"text": "x"}],
        "verbatim": {"wire": "x", "item": {"encrypted_content": state}}}});
    let broken = r#"{"schema":"ostinato.gemini-interactions.thought","version":1,"item":{"type":"thought","signature":"x"},"digest":"0"}"#;
    let message = json!({"role": "assistant", "content_items": [kept]});
    let found = session(&[stored(message, &[broken, "no JSON"], false)]);
    assert_eq!(found["items"], json!({"fidelity": 3}));
    assert_eq!(found["state"]["bytes"], 180);
    assert_eq!(found["refused"], json!({"not_json": 1, "signature_not_base64": 1}));
}

#[test]
fn a_session_without_its_header_is_one() {
    let head = json!({"record": "turn", "turn": 1, "epoch": 0, "messages": 1, "bytes": 1, "sha256": ""});
    let found = file(format!("{{\"schema\":\"ostin\u{0}\n{}", lines(&[head])));
    assert_eq!((&found["format"], &found["records"]), (&json!("ostinato_session"), &json!(1)));
}

fn export(kind: &str, records: &[Value]) -> Value {
    let mark = json!({"ostinato": {"export": kind, "resumable": kind == "resumable", "version": 1}});
    let head = json!({"record": "head", "session": "s", "parent": null, "system": null});
    file(lines(&[&[mark, head], records].concat()))
}

#[test]
fn an_export_holds_items_of_every_wire() {
    let sign = |letter: &str| letter.repeat(40);
    let items = json!([
        reasoning(Some("rs_1"), &["a"], &sign("A")),
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "b", "signature": sign("B")}]},
        {"role": "model", "parts": [{"text": "x"}, {"text": "y", "thoughtSignature": sign("C")}]},
        {"type": "thought", "signature": sign("D"), "summary": [{"type": "image", "data": "AA=="}]},
        {"role": "assistant", "content": [{"reasoningContent": {"redactedContent": sign("E")}}]},
        {"role": "assistant", "content": "ok", "reasoning_details": [{"type": "reasoning.encrypted", "data": sign("F")}]},
        {"role": "assistant", "content": "ok", "reasoning_content": "g"},
        {"role": "model", "parts": [{"thoughtSignature": "cut"}, 7, {"thought_signature": "cut!"}]},
    ]);
    let turn = json!({"record": "turn", "role": "assistant", "usage": {"reasoning_tokens": 4}, "items": items});
    let found = export("resumable", &[turn.clone(), json!({"record": "turn", "role": "user", "items": [user("hi")]})]);
    let expected = json!({
        "anthropic.thinking": 1, "bedrock-converse.reasoning": 1, "gemini-generate-content.part": 2,
        "gemini-interactions.thought": 1, "openai-chat.reasoning": 1, "openai-chat.reasoning.encrypted": 1,
        "openai.reasoning": 1});
    assert_eq!((&found["format"], &found["items"]), (&json!("ostinato_export"), &expected));
    assert_eq!(found["refused"], json!({"signature_not_base64": 1}));
    assert_eq!(found["opaque"]["unique"], 6);
    assert_eq!((&found["tokens"]["reasoning"], &found["sessions"], &found["turns"]), (&json!(4), &json!(1), &json!(1)));
    assert_eq!(found["replay"]["final_request_bytes"], 243);
    let bare = export("redacted", &[turn]);
    assert_eq!((&bare["format"], &bare["items"]), (&json!("ostinato_redacted_export"), &json!({})));
    assert_eq!((&bare["messages"], &bare["state"]["bytes"]), (&json!(1), &json!(0)));
}

#[test]
fn an_export_may_hold_a_session() {
    let header = json!({"schema": "ostinato.session", "version": 1, "session": "s", "sha256": ""});
    let asked = stored(json!({"role": "user", "content_items": [{"type": "text.done", "text": "hi"}]}), &[], false);
    let mark = json!({"ostinato": {"export": "resumable", "resumable": true, "version": 1, "holds": "session"}});
    let found = file(lines(&[mark, header, asked]));
    assert_eq!(
        (&found["format"], &found["sessions"], &found["messages"]),
        (&json!("ostinato_export"), &json!(1), &json!(1))
    );
    assert_eq!(found["record_types"], json!({"header": 1, "mark": 1, "message": 1}));
}
