//! Many iterations of a loop in one dispatch. While an iteration has few entries, a dispatch for each costs more than the work. Then one
//! workgroup runs iteration after iteration ([`Workgroup`]), or a few workgroups do that synchronise in device memory ([`Cooperating`]). The
//! iteration itself is a [`Round`], written once for both.

mod cooperating;
mod workgroup;

pub use cooperating::{Cooperating, join};
pub use workgroup::Workgroup;

use crate::{memory::Global, ranges::Step, state::State};
use evenkeel_types::{Field, LoopState, MEMBERS_BYTE};

/// Invocations of the one workgroup: more than some devices have.
pub const INVOCATIONS: u32 = 1024;

/// The most entries that the one workgroup takes: beyond, several are faster.
pub const SHORT: u32 = INVOCATIONS;

/// The most edges of a node where many iterations run in a dispatch.
pub const SHORT_ROW: u32 = 64;

/// The most rounds of a dispatch: some drivers stop loops that are longer than 65,535, and others a dispatch that takes seconds.
pub const MAX_ROUNDS: u32 = 8192;

/// The most loop iterations that an invocation needs for a round in which it takes so many entries.
#[inline(always)]
pub fn loop_iterations(entries: u32) -> u32 {
    2 + entries * (2 + SHORT_ROW / 4)
}

/// The state of a loop whose rounds may be run by cooperating workgroups. It has a [`Cooperation`](evenkeel_types::Cooperation).
pub trait RoundState: LoopState {
    /// See [`Cooperation::members`](evenkeel_types::Cooperation::members).
    const MEMBERS: Field<Self> = Field::at_byte(MEMBERS_BYTE);
    /// See [`Cooperation::arrivals`](evenkeel_types::Cooperation::arrivals).
    const ARRIVALS: Field<Self> = Field::at_byte(MEMBERS_BYTE + 4);

    /// A counter of a round: each has three words that rounds use in turn.
    fn count(counter: u32, round: u32) -> Field<Self>;
}

/// The sum of both counters.
pub type Pair = (u32, u32);

/// The invocations that run rounds together.
pub trait Team<S: LoopState> {
    /// Whether this team takes a round of so many entries.
    fn takes(&self, entries: u32) -> bool;

    /// How many of so many entries an invocation takes at most.
    fn share(&self, entries: u32) -> u32;

    /// Those that this invocation takes.
    fn entries(&self, entries: u32) -> Step;

    /// The place of the invocation's entry `number`, which is less than its share; it may lie behind the last.
    fn place(&self, number: u32) -> u32;

    /// An entry of the list that the round reads; `lists` are two lists in device memory, one behind the other.
    fn entry(&self, lists: &Global<u32>, round: u32, place: u32) -> u32;

    /// Writes an entry of the list that the round writes.
    fn put(&mut self, lists: &mut Global<u32>, round: u32, place: u32, node: u32);

    /// Sets a counter of a round; one invocation does it for all.
    fn set_count(&mut self, state: &mut State<S>, counter: u32, round: u32, value: u32);

    /// The value of a counter of a round, after its end.
    fn count(&self, state: &State<S>, counter: u32, round: u32) -> u32;

    /// Reserves `count` places behind a counter of a round, and returns the first.
    fn reserve(&mut self, state: &mut State<S>, counter: u32, round: u32, count: u32) -> u32;

    /// Reserves places behind two counters.
    fn reserve_both(&mut self, state: &mut State<S>, counters: Pair, round: u32, counts: Pair) -> Pair;

    /// Lowers a counter of a round to a value.
    fn lower(&mut self, state: &mut State<S>, counter: u32, round: u32, value: u32);

    /// Waits until every invocation has finished the round.
    fn finish_round(&mut self, state: &mut State<S>, round: u32);
}

/// One iteration of a loop, run by a team.
pub trait Round<S: LoopState, T: Team<S>> {
    /// What is known before it.
    type Known: Copy;
    /// Workgroup memory that it works in beside the team's; nothing for most.
    type Memory;

    /// Entries that it takes; 0 when there is none.
    fn entries(known: Self::Known) -> u32;

    /// The most loop iterations of an invocation that takes `share` of the entries, in the unit of the limit that the loop is given.
    #[inline(always)]
    fn cost(_: Self::Known, share: u32) -> u32 {
        loop_iterations(share)
    }

    /// Sets the counters of a round to what they are before it.
    fn clear(&mut self, team: &mut T, round: u32);

    /// Does this invocation's part. What it returns is added up over the rounds.
    fn run(&mut self, team: &mut T, memory: &mut Self::Memory, round: u32, known: Self::Known) -> u32;

    /// Waits until the team has finished it ([`Team::finish_round`]). Returns what is known then.
    fn after(&mut self, team: &mut T, round: u32, known: Self::Known) -> Self::Known;
}

/// What has come of the rounds of a dispatch.
pub struct Rounds<K> {
    /// What is known after them.
    pub known: K,
    /// How many there were.
    pub count: u32,
    /// The sum of what this invocation's parts returned.
    pub sum: u32,
}

/// Runs rounds for as long as the team takes them, within `loop_limit` loop iterations of an invocation. The first round's counters are clear.
#[inline(always)]
pub fn run_rounds<S: LoopState, R: Round<S, T>, T: Team<S>>(
    team: &mut T,
    step: &mut R,
    memory: &mut R::Memory,
    mut known: R::Known,
    loop_limit: u32,
) -> Rounds<R::Known> {
    let (mut count, mut spent, mut sum) = (0, 0, 0);
    while team.takes(R::entries(known)) && count < MAX_ROUNDS && spent < loop_limit {
        spent += R::cost(known, team.share(R::entries(known)));
        // These counters were read at the end of the round before the last.
        step.clear(team, count + 1);
        sum += step.run(team, memory, count, known);
        known = step.after(team, count, known);
        count += 1;
    }
    Rounds { known, count, sum }
}
