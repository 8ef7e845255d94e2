//! Values as different programs write them.

use serde_json::Value;

/// How a value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    Compact,
    Spaced,
    Pretty,
    Ascii,
    /// Every character of keys and strings as `\u00xx`.
    Escaped,
    Python,
}

pub const STYLES: [Style; 6] =
    [Style::Compact, Style::Spaced, Style::Pretty, Style::Ascii, Style::Escaped, Style::Python];

/// Writes a value. `backwards` turns the order of keys around, so that a type may follow what it is about.
pub fn write(value: &Value, style: Style, backwards: bool) -> String {
    let mut out = String::new();
    push(&mut out, value, style, backwards, 0);
    out
}

fn push(out: &mut String, value: &Value, style: Style, backwards: bool, depth: usize) {
    let (comma, colon) = if matches!(style, Style::Compact | Style::Escaped) { (",", ":") } else { (", ", ": ") };
    let line = |out: &mut String, depth: usize| {
        if style == Style::Pretty {
            out.push('\n');
            out.push_str(&"  ".repeat(depth));
        }
    };
    match value {
        Value::String(text) => string(out, text, style),
        Value::Array(elements) => {
            out.push('[');
            for (index, element) in elements.iter().enumerate() {
                out.push_str(if index == 0 {
                    ""
                } else {
                    comma.trim_end_matches(if style == Style::Pretty { " " } else { "" })
                });
                line(out, depth + 1);
                push(out, element, style, backwards, depth + 1);
            }
            line(out, depth);
            out.push(']');
        }
        Value::Object(entries) => {
            let mut entries: Vec<_> = entries.iter().collect();
            if backwards {
                entries.reverse();
            }
            out.push('{');
            for (index, (key, value)) in entries.into_iter().enumerate() {
                out.push_str(if index == 0 { "" } else { comma });
                line(out, depth + 1);
                string(out, key, style);
                out.push_str(colon);
                push(out, value, style, backwards, depth + 1);
            }
            line(out, depth);
            out.push('}');
        }
        Value::Null if style == Style::Python => out.push_str("None"),
        Value::Bool(yes) if style == Style::Python => out.push_str(if *yes { "True" } else { "False" }),
        other => out.push_str(&other.to_string()),
    }
}

fn string(out: &mut String, text: &str, style: Style) {
    match style {
        Style::Python => {
            let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
            out.push(quote);
            for character in text.chars() {
                match character {
                    '\n' => out.push_str("\\n"),
                    '\\' => out.push_str("\\\\"),
                    c if c == quote => out.extend(['\\', c]),
                    c => out.push(c),
                }
            }
            out.push(quote);
        }
        Style::Ascii | Style::Escaped => {
            out.push('"');
            for unit in text.encode_utf16() {
                match u8::try_from(unit) {
                    Ok(byte) if style == Style::Ascii && (0x20..0x7f).contains(&byte) && !b"\"\\".contains(&byte) => {
                        out.push(char::from(byte));
                    }
                    _ => out.push_str(&format!("\\u{unit:04x}")),
                }
            }
            out.push('"');
        }
        _ => out.push_str(&Value::from(text).to_string()),
    }
}

/// Puts other texts in place of the marks for state and reasoning.
pub fn with(value: &Value, state: &str, text: &str) -> Value {
    match value {
        Value::String(mark) if mark == super::carriers::STATE => state.into(),
        Value::String(mark) if mark == super::carriers::TEXT => text.into(),
        Value::Array(elements) => elements.iter().map(|element| with(element, state, text)).collect(),
        Value::Object(entries) => entries
            .iter()
            .map(|(key, value)| (key.clone(), with(value, state, text)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
        other => other.clone(),
    }
}
