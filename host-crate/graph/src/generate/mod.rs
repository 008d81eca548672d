//! Generated graphs: a family's name and its settings, `rmat:scale=20,edge-factor=16,seed=1`.
//!
//! All are simple: no self-loops, no parallel edges, rows sorted. They are undirected, with both directions stored, unless a family with
//! the setting `directed` is told otherwise. The same text gives the same graph on every machine and for any number of threads. A new
//! family is one file and one line in `FAMILIES`.
//!
//! ```
//! # mod evenkeel { pub use evenkeel_base::Error; pub use evenkeel_graph as graph; }
//! let graph = "grid:rows=3,cols=4".parse::<evenkeel::graph::generate::Generator>()?.generate()?;
//! assert_eq!((graph.csr.nodes(), graph.csr.edges()), (12, 34));
//! # Ok::<(), evenkeel::Error>(())
//! ```

pub mod erdos_renyi;
pub mod graph500;
pub mod grid;
mod kronecker;
pub mod matrices;
pub mod rgg;
pub mod rmat;
pub mod road;
pub mod simple;

pub use evenkeel_base::settings::Key;

pub use super::random;
use super::{
    BuildOptions, Csr, Graph, NodeIds,
    build::{EdgeSource, build},
    csr::MOST_NODES,
    offsets::MOST_EDGES,
    weights::WeightKind,
};
use evenkeel_base::{
    Error, Result,
    settings::{self, told_by_text},
};
use std::{ops::Range, str::FromStr, sync::Arc};

const FAMILIES: &[Registered] = &[
    Registered::of::<rmat::Rmat>(),
    Registered::of::<graph500::Graph500>(),
    Registered::of::<erdos_renyi::ErdosRenyi>(),
    Registered::of::<grid::Grid>(),
    Registered::of::<road::Road>(),
    Registered::of::<rgg::RandomGeometric>(),
    Registered::of::<simple::Star>(),
    Registered::of::<simple::Chain>(),
    Registered::of::<simple::Complete>(),
    Registered::of::<matrices::Mesh>(),
    Registered::of::<matrices::Band>(),
    Registered::of::<matrices::Blocks>(),
    Registered::of::<matrices::Rectangle>(),
];

/// A graph that can be made: a family with settings that were found possible.
#[derive(Clone)]
pub struct Generator {
    text: String,
    directed: bool,
    family: Arc<dyn Made>,
}

/// A family without its type.
trait Made: Send + Sync {
    fn build(&self) -> Result<Csr>;
    fn parts(&self) -> Result<Parts<'_>>;
}

impl<F: Family> Made for F {
    fn build(&self) -> Result<Csr> {
        Family::build(self)
    }

    fn parts(&self) -> Result<Parts<'_>> {
        Family::parts(self)
    }
}

/// How a part of a graph is made without the rest.
pub enum Parts<'a> {
    /// Any rows by themselves: a graph in which those of a range alone have edges.
    Rows(RowsMaker<'a>),
    /// Edges that are drawn one by one. Each is stored both ways unless the family is directed; self-loops go, and parallel edges are
    /// merged.
    Drawn {
        /// How many nodes there are.
        nodes: u32,
        /// How many edges are drawn.
        draws: u64,
        /// The ends of each.
        ends: EndsMaker<'a>,
    },
}

/// Makes rows.
pub type RowsMaker<'a> = Box<dyn Fn(Range<u32>) -> Result<Csr> + 'a>;

/// Draws an edge.
pub type EndsMaker<'a> = Box<dyn Fn(u64) -> [u32; 2] + Sync + 'a>;

/// A type whose fields are settings, with a sensible default for each.
pub trait Settings: Default {
    /// The settings, in the order in which they are written.
    fn keys(&mut self) -> Vec<Key<'_>>;
}

/// A kind of generated graph.
pub trait Family: Settings + Send + Sync + 'static {
    /// What it is called: the text before the colon.
    const NAME: &'static str;
    /// One line for the help text.
    const ABOUT: &'static str;

    /// Refuses settings that cannot be, or a graph too large for 32-bit indices, before anything is allocated.
    fn check(&self) -> Result<()>;

    /// Makes the graph, unless it turns out too large for the memory. [`Family::check`] has passed.
    fn build(&self) -> Result<Csr>;

    /// How a part of the graph is made without the rest: the same graph, however many parts there are. [`Family::check`] has passed.
    fn parts(&self) -> Result<Parts<'_>>;

    /// Whether edges are stored one way alone.
    fn is_directed(&self) -> bool {
        false
    }
}

/// Declares the settings of a family: its fields, their defaults, and as keys a name and what it means for each.
/// One of `size` is always written.
macro_rules! family_settings {
    (
        $(#[$about_type:meta])*
        $type:ident {
            $($(#[$more:meta])* $key:ident($name:literal, $about:literal) $field:ident: $kind:ty = $default:expr,)*
        }
    ) => {
        $(#[$about_type])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $type {
            $(#[doc = $about] $(#[$more])* pub $field: $kind,)*
        }

        impl Default for $type {
            fn default() -> Self {
                Self { $($field: $default),* }
            }
        }

        impl $crate::generate::Settings for $type {
            fn keys(&mut self) -> Vec<$crate::generate::Key<'_>> {
                vec![$($crate::generate::Key::$key($name, $about, &mut self.$field)),*]
            }
        }
    };
}
use family_settings;

impl Generator {
    /// A family with its settings.
    ///
    /// # Errors
    /// When the settings are impossible or the graph would be too large.
    pub fn new<F: Family>(mut family: F) -> Result<Self> {
        family.check()?;
        let text = settings::canonical(F::NAME, &family.keys(), &F::default().keys());
        Ok(Self { text, directed: family.is_directed(), family: Arc::new(family) })
    }

    /// Makes the graph, unless it turns out too large for the memory.
    pub fn generate(&self) -> Result<Graph> {
        let csr = self.family.build()?;
        Ok(Graph { name: self.text.clone(), csr, ids: NodeIds::Counted { first: 0 }, directed: self.directed })
    }

    /// How a part of the graph is made without the rest.
    ///
    /// # Errors
    /// When there is no memory for what all parts need.
    pub fn parts(&self) -> Result<Parts<'_>> {
        self.family.parts()
    }

    /// Whether edges have a direction.
    pub fn is_directed(&self) -> bool {
        self.directed
    }

    /// The name of its family: the text before the colon.
    pub fn family(&self) -> &str {
        self.text.split(':').next().unwrap_or_default()
    }

    /// Whether a graph argument names a family, rightly written or not, rather than a file.
    pub fn is_named_by(text: &str) -> bool {
        let name = text.split(':').next();
        FAMILIES.iter().any(|family| Some(family.name) == name)
    }
}

/// All families with their settings and defaults, for the help text.
pub fn describe() -> String {
    FAMILIES.iter().map(|family| (family.describe)()).collect::<Vec<_>>().join("\n")
}

told_by_text!(Generator, |generator| &generator.text);

impl FromStr for Generator {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let (name, settings) = text.split_once(':').unwrap_or((text, ""));
        let unknown = || Error::unknown("generator", name, FAMILIES.iter().map(|family| (family.usage)()));
        (FAMILIES.iter().find(|family| family.name == name).ok_or_else(unknown)?.parse)(settings)
    }
}

/// A family without its type.
struct Registered {
    name: &'static str,
    parse: fn(&str) -> Result<Generator>,
    usage: fn() -> String,
    describe: fn() -> String,
}

impl Registered {
    const fn of<F: Family>() -> Self {
        Self {
            name: F::NAME,
            parse: |text| {
                let mut family = F::default();
                settings::read(F::NAME, text, family.keys())?;
                Generator::new(family)
            },
            usage: || settings::usage(F::NAME, &F::default().keys()),
            describe: || format!("{} — {}\n{}", F::NAME, F::ABOUT, settings::describe(&F::default().keys())),
        }
    }
}

/// Edges that a random family draws: how many nodes and edges there are, and the ends of each edge.
struct Drawn<F>(u32, u64, F);

impl<F: Fn(u64) -> [u32; 2] + Sync> EdgeSource for Drawn<F> {
    fn extent(&self) -> (u32, u64, WeightKind) {
        (self.0, self.1, WeightKind::None)
    }

    fn visit(&self, indices: Range<u64>, mut visit: impl FnMut(u32, u32, u32)) {
        for [source, target] in indices.map(&self.2) {
            visit(source, target, 0);
        }
    }
}

/// The simple graph of edges whose ends are drawn, each stored both ways unless it is directed.
fn build_drawn(nodes: u32, edges: u64, directed: bool, ends: impl Fn(u64) -> [u32; 2] + Sync) -> Result<Csr> {
    let options = BuildOptions { symmetrise: !directed, drop_self_loops: true, merge_parallel_edges: true };
    Ok(build(Drawn(nodes, edges, ends), options)?.0)
}

/// Refuses a graph that is known to have that many directed edges, if they or the nodes are too many. Whether there is memory for it is
/// found out when it is built.
fn check_stored(nodes: u64, edges: u64) -> Result<()> {
    check_size(nodes, edges, "directed")
}

/// Refuses a random graph of that many draws, which may both become edges and be stored both ways.
fn check_drawn(nodes: u64, draws: u64) -> Result<()> {
    check_size(nodes, draws.saturating_mul(2), "random")
}

fn check_size(nodes: u64, edges: u64, kind: &str) -> Result<()> {
    if nodes > MOST_NODES {
        return Err(Error::Graph(format!(
            "{nodes} nodes are too many: node ids are 32 bits wide, at most {MOST_NODES}"
        )));
    }
    if edges > MOST_EDGES {
        return Err(Error::Graph(format!(
            "a graph of {nodes} nodes and {edges} {kind} edges is too large: at most {MOST_EDGES} are possible"
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(text: &str) -> String {
        text.parse::<Generator>().unwrap().to_string()
    }

    fn refusal(text: &str) -> String {
        text.parse::<Generator>().unwrap_err().to_string()
    }

    #[test]
    fn the_canonical_text_has_the_size_and_what_differs() {
        assert_eq!(canonical("rmat"), "rmat:scale=20");
        assert_eq!(canonical("rmat:seed=1,edge-factor=16,scale=10"), "rmat:scale=10,seed=1");
        assert_eq!(canonical("er:nodes=1000,degree=4.0"), "er:nodes=1000,degree=4");
        assert_eq!(canonical("er:degree=2.5"), "er:nodes=1048576,degree=2.5");
        assert_eq!(canonical("grid:"), "grid:rows=1024,cols=1024");
        assert_eq!(canonical("road:lengths=true,nodes=9"), "road:nodes=9,lengths=true");
    }

    #[test]
    fn every_usage_text_is_itself_understood() {
        for family in FAMILIES {
            let generator: Generator = (family.usage)().parse().unwrap();
            assert_eq!(generator, generator.to_string().parse().unwrap());
            assert!(describe().contains(&format!("{} — ", family.name)));
            assert!(Generator::is_named_by(family.name) && Generator::is_named_by(&(family.usage)()));
        }
        assert!(!Generator::is_named_by("rmat.mtx"));
    }

    #[test]
    fn unknown_names_list_the_known_ones() {
        let message = refusal("rmta:scale=3");
        assert!(
            message.contains("rmta") && message.contains("rmat:scale=20,edge-factor=16") && message.contains("chain:")
        );
        let message = refusal("grid:rows=3,columns=4");
        assert!(message.contains("grid:columns") && message.contains("rows=1024, cols=1024"), "{message}");
    }

    #[test]
    fn bad_settings_say_what_is_bad() {
        assert!(refusal("rmat:scale=big").contains("scale='big': invalid digit"));
        assert!(refusal("rmat:scale").contains("'scale' is not key=value"));
        assert!(refusal("rmat:scale=3,scale=4").contains("'scale' is given twice"));
        assert!(refusal("road:removed=1.5").contains("removed=1.5"));
        assert!(refusal("rmat:scale=31,edge-factor=131072").contains("562949953421312 random edges"));
        assert!(refusal("star:nodes=4294967296").contains("4294967296 nodes"));
    }
}
