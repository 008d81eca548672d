//! The methods by which core numbers are found.

use super::super::prelude::*;

/// How core numbers are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// From below, by taking nodes away.
    Peel,
    /// From below, by the threads of the CPU device.
    PeelCpu,
    /// From above, by lowering numbers.
    HIndex,
    /// Whichever suits the device.
    Auto,
}

impl Methods for Method {
    const HELP: &'static str = "How core numbers are found: a name from `evenkeel strategies kcore`";
    const HEADING: &'static str = "cores";
    const TABLE: &'static [Line<Self>] = &[
        Line::new(
            "peel",
            "PKC, Kabir and Madduri; PeelOne, Zhao et al.",
            "takes away nodes of few neighbours, level after level in one dispatch",
            Self::Peel,
        ),
        Line::new(
            "h-index",
            "Lü et al.",
            "lowers the numbers of all nodes at once to what those of their neighbours allow, until none changes",
            Self::HIndex,
        ),
        Line::on_cpu("peel-cpu", "PKC, Kabir and Madduri", "peel in a form for few threads", Self::PeelCpu),
        Line::auto("peel-cpu on the CPU device, else peel", Self::Auto),
    ];
}

impl Method {
    /// What it comes to on such a device.
    pub(super) fn choose(self, device: DeviceKind) -> Self {
        match self {
            Self::Auto if device == DeviceKind::Cpu => Self::PeelCpu,
            Self::Auto => Self::Peel,
            method => method,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_device_decides() {
        let auto = Selected::<Method>::default();
        assert_eq!(auto.taken(&auto.method().choose(DeviceKind::Discrete)), Some("peel"));
        assert_eq!(auto.taken(&auto.method().choose(DeviceKind::Cpu)), Some("peel-cpu"));
        let [peel, h_index, ..] = &Selected::<Method>::all()[..] else { panic!("there are methods") };
        assert_eq!((peel.method().choose(DeviceKind::Cpu), peel.taken(&Method::Peel)), (Method::Peel, None));
        assert_eq!(h_index.method().choose(DeviceKind::Discrete), Method::HIndex);
    }
}
