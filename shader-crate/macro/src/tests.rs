//! A kernel that is declared wrongly is refused with words that say how it is declared.

use crate::{settings::Settings, signature::Signature};
use syn::parse_str;

/// What the author of the kernel is told; nothing when it is accepted.
fn complaint(settings: &str, signature: &str) -> Option<String> {
    let function = parse_str::<syn::ItemFn>(&format!("fn kernel({signature}) {{}}")).expect("a function");
    let parsed = parse_str::<Settings>(settings).and_then(|_| Signature::parse(&function, &[]));
    parsed.err().map(|error| error.to_string())
}

fn assert_refused(settings: &str, signature: &str, because: &str) {
    let complaint = complaint(settings, signature).expect("the declaration is wrong");
    assert!(complaint.contains(because), "{complaint}");
}

#[test]
fn a_right_declaration_is_accepted() {
    let signature =
        "lane: Lane, params: &Length, input: Read<f32>, mut output: Global<f32>, mut slots: Shared<u32, 256>";
    assert_eq!(complaint("threads = 256", signature), None);
}

#[test]
fn the_size_of_a_workgroup_must_be_said() {
    let signature = "lane: Lane, params: &Length";
    assert_refused("", signature, "#[kernel(threads = 256)]");
    assert_refused("workgroup = 256", signature, "#[kernel(threads = 256)]");
    assert_refused("threads = WORKGROUP", signature, "expected integer literal");
    assert_refused("threads = 256, size = 2", signature, "the settings of a kernel are");
}

#[test]
fn a_kernel_begins_with_its_lane_and_its_parameters() {
    for signature in ["", "lane: Lane", "lane: Lane, params: Length"] {
        assert_refused("threads = 256", signature, "a kernel begins with `lane: Lane, params: &Params`");
    }
}

#[test]
fn every_other_parameter_is_a_view_of_memory() {
    for wrong in ["input: &[u32]", "count: u32", "input: Read", "slots: Shared<u32>", "state: State"] {
        let because = "`Read<T>`, `Global<T>`, `Shared<T, N>`, `State<S>` and bundles of these";
        assert_refused("threads = 256", &format!("lane: Lane, params: &Length, {wrong}"), because);
    }
}

#[test]
fn parameters_are_plain_names() {
    assert_refused("threads = 256", "lane: Lane, params: &Length, (a, b): Read<u32>", "plain names");
    assert_refused("threads = 256", "&self, lane: Lane, params: &Length", "no `self`");
}
