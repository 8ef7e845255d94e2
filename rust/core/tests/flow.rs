//! What is sent again adds up in any grouping of the conversation, and as a plain count of requests says.

use ostinato_core::measure::{Flow, Group, Replay};
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum Event {
    Output(u64, u64),
    Input(bool),
    Reset(u64),
}

fn group(state: u64, shown: u64) -> Group {
    Group {
        outputs: 1,
        state,
        snapshot: state + 90,
        canonical: state + 60,
        items: 1,
        legacy: state + 50,
        shown: u64::from(shown > 0),
        shown_bytes: shown,
    }
}

fn flow(events: &[Event]) -> Flow {
    let mut flow = Flow::default();
    for event in events {
        match event {
            Event::Output(state, shown) => flow.output(group(*state, *shown)),
            Event::Input(user) => flow.input(*user),
            Event::Reset(state) => flow.reset(group(*state, 0)),
        }
    }
    flow
}

/// Request by request: state and, in the legacy form, each message with its texts as the summary of each of its items.
fn plain(events: &[Event]) -> Replay {
    let mut replay = Replay::default();
    let (mut sent, mut legacy_sent) = (0, 0);
    let mut message: Vec<(u64, u64)> = Vec::new();
    let (mut last, mut user_seen) = ("", false);
    let weigh = |message: &[(u64, u64)]| {
        let shown: Vec<u64> = message.iter().map(|(_, shown)| *shown).filter(|shown| *shown > 0).collect();
        let joined = shown.iter().sum::<u64>() + 2 * (shown.len() as u64).saturating_sub(1);
        let part = "{\"type\":\"summary_text\",\"text\":\"\"}".len() as u64;
        let summary = if shown.is_empty() { 0 } else { part + joined };
        let state = message.iter().map(|(state, _)| state).sum::<u64>();
        (state, message.iter().map(|(state, _)| state + 50 + summary).sum::<u64>())
    };
    for event in events {
        match event {
            Event::Output(state, shown) => {
                message.push((*state, *shown));
                last = "output";
            }
            Event::Reset(state) => {
                message.clear();
                (sent, legacy_sent) = weigh(&[(*state, 0)]);
                last = "reset";
            }
            Event::Input(user) => {
                let (state, legacy) = weigh(&std::mem::take(&mut message));
                (sent, legacy_sent) = (sent + state, legacy_sent + legacy);
                if last == "input" {
                    replay.turns += u64::from(*user && !user_seen);
                    user_seen |= *user;
                } else {
                    replay.requests += 1;
                    replay.turns += u64::from(*user);
                    user_seen = *user;
                    replay.cumulative.state += sent;
                    replay.cumulative.legacy += legacy_sent;
                    replay.final_request.state = sent;
                    replay.final_request.legacy = legacy_sent;
                }
                last = "input";
            }
        }
    }
    replay
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    let event = prop_oneof![
        4 => (0u64..900, 0u64..40).prop_map(|(state, shown)| Event::Output(state, shown)),
        4 => any::<bool>().prop_map(Event::Input),
        1 => (0u64..500).prop_map(Event::Reset),
    ];
    prop::collection::vec(event, 0..24)
}

proptest! {
    #[test]
    fn requests_add_up_as_a_plain_count_says(events in events()) {
        let (found, expected) = (flow(&events).close(), plain(&events));
        prop_assert_eq!((found.requests, found.turns), (expected.requests, expected.turns));
        prop_assert_eq!(found.cumulative.state, expected.cumulative.state);
        prop_assert_eq!(found.cumulative.legacy, expected.cumulative.legacy);
        prop_assert_eq!(found.final_request.state, expected.final_request.state);
        prop_assert_eq!(found.final_request.legacy, expected.final_request.legacy);
    }

    #[test]
    fn grouping_changes_nothing(events in events(), cuts in (0usize..24, 0usize..24)) {
        let (first, second) = (cuts.0.min(events.len()), cuts.1.min(events.len()));
        let (first, second) = (first.min(second), first.max(second));
        let parts = [&events[..first], &events[first..second], &events[second..]].map(flow);
        let [a, b, c] = parts;
        let (mut left, mut right, mut bc) = (a, a, b);
        left.merge(b);
        left.merge(c);
        bc.merge(c);
        right.merge(bc);
        prop_assert_eq!(left, right);
        prop_assert_eq!(left, flow(&events));
    }
}
