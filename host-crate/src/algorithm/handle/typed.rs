//! The handle of an algorithm whose types are known.

use super::{Described, Handle, Part, Prepared, Problem, Setup};
use crate::{
    Error, Result,
    algorithm::{Alternative, Answer, FrontEnd, Run, Selectable, Session, Table, Tables, plan, prepare_on},
    device::{Device, DeviceInfo, MemoryPlan, profile::Span},
    engine::SharedGraph,
    graph::{Csr, Graph},
    oracle::Mismatch,
    settings::{self, Settings},
};
use std::{any::Any, cell::OnceCell, marker::PhantomData, path::PathBuf};

/// The handle of an algorithm.
pub struct Of<A>(PhantomData<fn() -> A>);

impl<A: FrontEnd> Of<A> {
    /// The handle.
    pub const HANDLE: Self = Self(PhantomData);
}

impl<A: FrontEnd> Handle for Of<A> {
    fn described(&self) -> Described {
        described::<A>()
    }

    fn alternatives(&self) -> Vec<Alternative> {
        A::alternatives()
    }

    fn known_alternative(&self, name: &str) -> Result<String> {
        A::known_alternative(name)
    }

    fn setup(&self) -> Box<dyn Setup> {
        Box::new(TypedSetup::<A>::default())
    }
}

fn described<A: FrontEnd>() -> Described {
    Described {
        name: A::ABOUT.name,
        summary: A::ABOUT.summary,
        help: A::ABOUT.help,
        alternative: A::Alternative::KIND,
        heading: A::Alternative::HEADING,
        note: A::Alternative::NOTE,
        weights: A::ABOUT.weights,
        finds_paths: A::ABOUT.finds_paths,
        rows: A::ABOUT.rows,
    }
}

/// The settings of an algorithm with their types.
pub struct TypedSetup<A: FrontEnd> {
    /// What can be chosen.
    pub config: A::Config,
    /// What the input is made of.
    pub input: A::InputOptions,
    /// The tables.
    pub tables: A::Tables,
}

impl<A: FrontEnd> Default for TypedSetup<A> {
    fn default() -> Self {
        Self { config: A::Config::default(), input: A::InputOptions::default(), tables: A::Tables::default() }
    }
}

impl<A: FrontEnd> TypedSetup<A> {
    fn with_config(&self, config: A::Config) -> Box<dyn Setup> {
        Box::new(Self { config, input: self.input.clone(), tables: self.tables.clone() })
    }

    fn problem<'g>(&self, graph: &'g Graph, config: A::Config, input: A::Input) -> Box<dyn Problem + 'g> {
        let (asked, tables) = (config.clone(), self.tables.clone());
        Box::new(TypedProblem::<A> { graph, asked, config, input, tables, reference: OnceCell::new() })
    }
}

impl<A: FrontEnd> Setup for TypedSetup<A> {
    fn described(&self) -> Described {
        described::<A>()
    }

    fn settings(&mut self, part: Part) -> &mut dyn Settings {
        match part {
            Part::Config => &mut self.config,
            Part::Input => &mut self.input,
            Part::Tables => &mut self.tables,
        }
    }

    fn report(&self) -> serde_json::Value {
        settings::report(&self.config)
    }

    fn alternative(&self) -> String {
        A::alternative(&self.config)
    }

    fn with_alternative(&self, name: &str) -> Result<Box<dyn Setup>> {
        Ok(self.with_config(A::with_alternative(&self.config, name)?))
    }

    fn counted(&self) -> Box<dyn Setup> {
        self.with_config(A::counted_config())
    }

    fn check(&self, names: &[&str]) -> Result<()> {
        A::check_config(&self.config, names)?;
        self.tables.check(&self.config)
    }

    fn ignores_directions(&self) -> bool {
        A::ignores_directions(&self.config)
    }

    fn is_undirected(&self) -> bool {
        A::is_undirected(&self.config)
    }

    fn columns(&self) -> usize {
        A::columns(&self.config)
    }

    fn operations(&self, csr: &Csr) -> u64 {
        A::operations(csr, &self.config)
    }

    fn runs_on(&self, device: &DeviceInfo) -> bool {
        runs_on::<A>(&self.config, device)
    }

    fn table_paths(&self) -> Vec<PathBuf> {
        self.tables.paths().into_iter().map(PathBuf::from).collect()
    }

    fn needs_spans(&self) -> bool {
        self.tables.need_spans()
    }

    fn on<'g>(&self, graph: &'g Graph) -> Result<Box<dyn Problem + 'g>> {
        let config = A::find_nodes(&self.config, graph)?;
        let input = A::input(&self.input, graph, &config)?;
        Ok(self.problem(graph, config, input))
    }

    fn with_input<'g>(&self, graph: &'g Graph, input: Box<dyn Any>) -> Result<Box<dyn Problem + 'g>> {
        let input = input.downcast::<A::Input>().map_err(|_| wrong_input::<A>())?;
        Ok(self.problem(graph, A::find_nodes(&self.config, graph)?, *input))
    }
}

fn wrong_input<A: FrontEnd>() -> Error {
    Error::Usage(format!("this is no input of {}", A::ABOUT.name))
}

fn runs_on<A: FrontEnd>(config: &A::Config, device: &DeviceInfo) -> bool {
    A::choice(&mut config.clone()).item().about().runs_on(device)
}

struct TypedProblem<'g, A: FrontEnd> {
    graph: &'g Graph,
    /// The configuration that was asked for, and that with the strategy or schedule that is chosen.
    asked: A::Config,
    config: A::Config,
    input: A::Input,
    tables: A::Tables,
    reference: OnceCell<A::Reference>,
}

impl<A: FrontEnd> Problem for TypedProblem<'_, A> {
    fn described(&self) -> Described {
        described::<A>()
    }

    fn alternative(&self) -> String {
        A::alternative(&self.config)
    }

    fn alternatives(&self) -> Vec<Alternative> {
        A::alternatives()
    }

    fn choose(&mut self, alternative: &str) -> Result<()> {
        self.config = A::with_alternative(&self.asked, alternative)?;
        Ok(())
    }

    fn report(&self) -> serde_json::Value {
        settings::report(&self.config)
    }

    fn source(&self) -> Option<u32> {
        A::source(&self.input)
    }

    fn input(&self) -> &dyn Any {
        &self.input
    }

    fn runs_on(&self, device: &DeviceInfo) -> bool {
        runs_on::<A>(&self.config, device)
    }

    fn plan(&self, device: &DeviceInfo, alternative: Option<&str>) -> Result<MemoryPlan> {
        match alternative {
            Some(name) => plan::<A>(device, &self.graph.csr, &A::with_alternative(&self.asked, name)?),
            None => plan::<A>(device, &self.graph.csr, &self.config),
        }
    }

    fn prepare(&self, device: &Device) -> Result<Box<dyn Prepared + '_>> {
        self.prepare_on(&SharedGraph::new(device, &self.graph.csr))
    }

    fn prepare_on(&self, shared: &SharedGraph) -> Result<Box<dyn Prepared + '_>> {
        let algorithm = prepare_on::<A>(shared, &self.config)?;
        Ok(Box::new(TypedPrepared { algorithm, problem: self }))
    }

    fn ask_oracle(&self) -> Result<bool> {
        if self.reference.get().is_some() {
            return Ok(false);
        }
        let found = A::reference(self.graph, &self.input, &self.config)?;
        Ok(self.reference.set(found).is_ok())
    }

    fn reference(&self) -> Option<&dyn Any> {
        self.reference.get().map(|reference| reference as &dyn Any)
    }

    fn check(&self, answer: &dyn Answer) -> Option<Mismatch> {
        A::check(typed::<A>(answer)?, self.reference.get()?, self.graph, &self.input)
    }
}

/// An answer as the algorithm's own type, if it is one of its answers.
fn typed<A: FrontEnd>(answer: &dyn Answer) -> Option<&A::Answer> {
    let answer: &dyn Any = answer;
    answer.downcast_ref()
}

struct TypedPrepared<'p, 'g, A: FrontEnd> {
    algorithm: A,
    problem: &'p TypedProblem<'g, A>,
}

impl<A: FrontEnd> Prepared for TypedPrepared<'_, '_, A> {
    fn session(&self) -> &Session {
        self.algorithm.session()
    }

    fn run(&mut self) -> Result<Run> {
        self.algorithm.run(&self.problem.input)
    }

    fn run_with(&mut self, input: &dyn Any) -> Result<Run> {
        self.algorithm.run(input.downcast_ref().ok_or_else(wrong_input::<A>)?)
    }

    fn answer(&self) -> Result<Box<dyn Answer>> {
        Ok(Box::new(self.algorithm.answer()?))
    }

    fn details(&mut self) -> Result<serde_json::Map<String, serde_json::Value>> {
        self.problem.tables.details(&mut self.algorithm)
    }

    fn tables(&mut self, answer: &dyn Answer, spans: &[Span]) -> Result<Vec<Table>> {
        let wrong = || Error::Usage(format!("this is no answer of {}", A::ABOUT.name));
        self.problem.tables.make(&mut self.algorithm, typed::<A>(answer).ok_or_else(wrong)?, spans)
    }
}
