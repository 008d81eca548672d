//! A recording: its steps, ready to run one after the other.

use super::{
    Timeline,
    dispatch::{Dispatch, Mode},
    memory::{Memory, Queue},
};
use crate::{
    Error, Result,
    device::{Recorded, Step, Team, recorder::NativeFunction},
};
use evenkeel_workgroups::caught;
use std::{sync::Arc, time::Duration};

/// A recorded list of steps, ready to run.
pub(super) struct Program {
    name: String,
    actions: Vec<Action>,
    read_backs: Vec<Vec<u8>>,
    threads: usize,
    timeline: Arc<Timeline>,
    mode: Mode,
}

/// A step whose buffers have been found and checked.
enum Action {
    Dispatch(Dispatch),
    Native { name: &'static str, buffers: Vec<Arc<Memory>>, run: NativeFunction },
    Fill { buffer: Arc<Memory>, value: u32 },
    Copy { from: Arc<Memory>, to: Arc<Memory>, bytes: u64 },
    ReadBack { buffer: Arc<Memory>, slot: usize },
    Label(String),
}

impl Action {
    /// What profilers call it; nothing when it takes no time worth telling.
    fn name(&self) -> Option<&'static str> {
        match self {
            Self::Dispatch(dispatch) => Some(dispatch.name()),
            Self::Native { name, .. } => Some(name),
            Self::Fill { .. } => Some("fill"),
            Self::Copy { .. } => Some("copy"),
            Self::ReadBack { .. } | Self::Label(_) => None,
        }
    }
}

impl Program {
    pub(super) fn new(
        name: &str,
        steps: Vec<Step>,
        threads: usize,
        timeline: &Arc<Timeline>,
        mode: &Mode,
    ) -> Result<Self> {
        let mut program = Self {
            name: name.to_owned(),
            actions: Vec::new(),
            read_backs: Vec::new(),
            threads,
            timeline: timeline.clone(),
            mode: mode.clone(),
        };
        for step in steps {
            let action = program.prepare(step)?;
            program.actions.push(action);
        }
        Ok(program)
    }

    fn prepare(&mut self, step: Step) -> Result<Action> {
        Ok(match step {
            Step::Dispatch { kernel, buffers, params, size } => {
                Action::Dispatch(Dispatch::new(kernel, &buffers, &params, &size)?)
            }
            Step::Native { name, buffers, run } => {
                Action::Native { name, buffers: buffers.iter().map(Memory::of).collect::<Result<_>>()?, run }
            }
            Step::Fill { buffer, value } => Action::Fill { buffer: Memory::of(&buffer)?, value },
            Step::Copy { from, to, bytes } => {
                let (from, to) = (Memory::of(&from)?, Memory::of(&to)?);
                from.check(0, bytes)?;
                to.check(0, bytes)?;
                Action::Copy { from, to, bytes }
            }
            Step::ReadBack { buffer, bytes } => {
                let buffer = Memory::of(&buffer)?;
                buffer.check(0, bytes)?;
                self.read_backs.push(vec![0; bytes as usize]);
                Action::ReadBack { buffer, slot: self.read_backs.len() - 1 }
            }
            Step::Label(name) => Action::Label(name),
        })
    }
}

/// Runs a step that is no kernel; a panic in it is an error that names it.
fn run_native(name: &str, buffers: &[Arc<Memory>], run: &NativeFunction, team: &mut Team) -> Result<()> {
    // SAFETY: a step that runs has the queue until it ends.
    let words: Vec<_> = buffers.iter().map(|buffer| unsafe { buffer.words() }).collect();
    caught(|| {
        run(team, &words);
        Ok(())
    })
    .map_err(|reason| Error::Device(format!("{name}: {reason}")))
}

impl Recorded for Program {
    fn run(&mut self) -> Result<Duration> {
        let queue = &mut *Queue::take();
        let begin = self.timeline.now();
        let mut label = self.name.as_str();
        for action in &self.actions {
            let start = self.timeline.now();
            match action {
                Action::Dispatch(dispatch) => dispatch.run(queue, self.threads, &self.mode)?,
                Action::Native { name, buffers, run } => run_native(name, buffers, run, queue.team(self.threads))?,
                Action::Fill { buffer, value } => buffer.fill(queue, *value),
                Action::Copy { from, to, bytes } => to.copy(queue, from, *bytes)?,
                Action::ReadBack { buffer, slot } => buffer.read(queue, 0, &mut self.read_backs[*slot])?,
                Action::Label(name) => label = name,
            }
            if let Some(name) = action.name() {
                self.timeline.device_span(name, label, start);
            }
        }
        self.timeline.host_span("run", &self.name, begin);
        Ok(self.timeline.now() - begin)
    }

    fn read_back(&self, slot: usize) -> &[u8] {
        &self.read_backs[slot]
    }
}
