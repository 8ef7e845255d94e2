//! What is sent again: each request of a conversation carries the state of all that came before it.
//!
//! A conversation is a row of outputs of the model, inputs to it (a user's message, a tool's result) and resets (the
//! history was compacted). A request is sent where inputs end. A [`Flow`] is what must be known of a stretch of that row
//! so that two stretches can be joined without looking at them again, which is how one file is measured in parallel.

/// Bytes of state, and of the items that carry it in each of the three forms of the payload comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Weight {
    /// Opaque state alone.
    pub state: u64,
    pub snapshot: u64,
    pub canonical: u64,
    pub legacy: u64,
}

impl Weight {
    fn plus(self, other: Weight) -> Weight {
        Weight {
            state: self.state + other.state,
            snapshot: self.snapshot + other.snapshot,
            canonical: self.canonical + other.canonical,
            legacy: self.legacy + other.legacy,
        }
    }

    fn times(self, count: u64) -> Weight {
        Weight {
            state: self.state * count,
            snapshot: self.snapshot * count,
            canonical: self.canonical * count,
            legacy: self.legacy * count,
        }
    }

    fn minus(self, other: Weight) -> Weight {
        Weight {
            state: self.state - other.state,
            snapshot: self.snapshot - other.snapshot,
            canonical: self.canonical - other.canonical,
            legacy: self.legacy - other.legacy,
        }
    }
}

/// The outputs between two inputs: one message of an assistant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Group {
    /// Outputs of any kind, those without state included.
    pub outputs: u64,
    pub state: u64,
    pub snapshot: u64,
    pub canonical: u64,
    /// Items of the payload comparison.
    pub items: u64,
    /// Bytes of those items in the legacy form, without the text of their summary.
    pub legacy: u64,
    /// Items that show some text, and the bytes of it inside a JSON string.
    pub shown: u64,
    pub shown_bytes: u64,
}

/// What fast-agent 0.10.4 sent as the summary of each item: one part with all texts shown in the message.
const LEGACY_PART: u64 = r#"{"type":"summary_text","text":""}"#.len() as u64;
/// Between two of those texts: `\n` in JSON.
const LEGACY_JOINT: u64 = 2;

impl Group {
    fn plus(self, other: Group) -> Group {
        Group {
            outputs: self.outputs + other.outputs,
            state: self.state + other.state,
            snapshot: self.snapshot + other.snapshot,
            canonical: self.canonical + other.canonical,
            items: self.items + other.items,
            legacy: self.legacy + other.legacy,
            shown: self.shown + other.shown,
            shown_bytes: self.shown_bytes + other.shown_bytes,
        }
    }

    /// Adds outputs to these.
    pub fn add(&mut self, other: Group) {
        *self = self.plus(other);
    }

    fn weight(self) -> Weight {
        let joints = LEGACY_JOINT * self.shown.saturating_sub(1);
        let summary = if self.shown > 0 { LEGACY_PART + self.shown_bytes + joints } else { 0 };
        let legacy = self.legacy + self.items * summary;
        Weight { state: self.state, snapshot: self.snapshot, canonical: self.canonical, legacy }
    }
}

/// A stretch of a conversation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flow {
    /// Outputs before the first input or reset.
    head: Group,
    /// From the first input or reset on, if there is one.
    body: Option<Body>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Body {
    requests: u64,
    /// Requests that carry what came before the stretch: all until the first reset.
    open_requests: u64,
    turns: u64,
    /// Sum over the requests, without what came before the stretch.
    cumulative: Weight,
    /// The newest request, likewise.
    newest: Weight,
    newest_is_whole: bool,
    /// What a request before the outputs of `tail` would carry; all of it after a reset.
    carried: Weight,
    reset: bool,
    /// Outputs after the last input or reset.
    tail: Group,
    /// Whether the first and the last border are inputs, and whether a user's message is among those.
    first: Border,
    last: Border,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Border {
    input: bool,
    user: bool,
}

/// What a whole conversation sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Replay {
    pub requests: u64,
    /// Requests that a user's message led to.
    pub turns: u64,
    /// Carried by the last request.
    pub final_request: Weight,
    /// Sum over all requests.
    pub cumulative: Weight,
}

impl Replay {
    /// Adds another conversation.
    pub fn add(&mut self, other: &Replay) {
        self.requests += other.requests;
        self.turns += other.turns;
        self.final_request = self.final_request.plus(other.final_request);
        self.cumulative = self.cumulative.plus(other.cumulative);
    }
}

impl Flow {
    /// Outputs of the model follow.
    pub fn output(&mut self, group: Group) {
        let open = self.body.as_mut().map_or(&mut self.head, |body| &mut body.tail);
        *open = open.plus(group);
    }

    /// An input follows. Inputs in a row belong to one request.
    pub fn input(&mut self, user: bool) {
        let border = Border { input: true, user };
        let body = Body {
            requests: 1,
            open_requests: 1,
            turns: u64::from(user),
            first: border,
            last: border,
            ..Body::default()
        };
        self.merge(Flow { head: Group::default(), body: Some(body) });
    }

    /// The history so far is replaced by items of this weight.
    pub fn reset(&mut self, kept: Group) {
        let body = Body { reset: true, carried: kept.weight(), ..Body::default() };
        self.merge(Flow { head: Group::default(), body: Some(body) });
    }

    /// The stretch that follows this one. Associative: `(a + b) + c` is `a + (b + c)`.
    pub fn merge(&mut self, next: Flow) {
        let Some(this) = self.body.as_mut() else {
            self.head = self.head.plus(next.head);
            self.body = next.body;
            return;
        };
        let between = this.tail.plus(next.head);
        let Some(next) = next.body else {
            this.tail = between;
            return;
        };
        *this = this.then(between, next);
    }

    /// The conversation ends here.
    pub fn close(self) -> Replay {
        let Some(body) = self.body else { return Replay::default() };
        let before = self.head.weight();
        let newest = if body.newest_is_whole || body.requests == 0 { body.newest } else { body.newest.plus(before) };
        Replay {
            requests: body.requests,
            turns: body.turns,
            final_request: newest,
            cumulative: body.cumulative.plus(before.times(body.open_requests)),
        }
    }
}

impl Body {
    fn then(self, between: Group, next: Body) -> Body {
        let carried = self.carried.plus(between.weight());
        // Inputs on both sides of the seam are one request, which both sides have counted.
        let joined = between.outputs == 0 && self.last.input && next.first.input;
        let twice = u64::from(joined);
        let user = joined && self.last.user && next.first.user;
        let seam = Border { input: true, user: self.last.user || next.first.user };
        let only = |body: &Body, border: Border| joined && body.requests == 1 && border.input;
        let newest_of_next = if next.newest_is_whole { next.newest } else { carried.plus(next.newest) };
        Body {
            requests: self.requests + next.requests - twice,
            open_requests: if self.reset {
                self.open_requests
            } else {
                self.open_requests + next.open_requests - twice
            },
            turns: self.turns + next.turns - u64::from(user),
            cumulative: self
                .cumulative
                .plus(next.cumulative)
                .plus(carried.times(next.open_requests))
                .minus(self.carried.times(twice)),
            newest: if next.requests > 0 { newest_of_next } else { self.newest },
            newest_is_whole: if next.requests > 0 { next.newest_is_whole || self.reset } else { self.newest_is_whole },
            carried: if next.reset { next.carried } else { carried.plus(next.carried) },
            reset: self.reset || next.reset,
            tail: next.tail,
            first: if only(&self, self.first) { seam } else { self.first },
            last: if only(&next, next.last) { seam } else { next.last },
        }
    }
}
