//! Drops the capabilities that a module declares and does not use, and the extensions that only those come from.
//!
//! rust-gpu declares all that the builder names in every module. A device that lacks one, say shuffles, can still run the
//! kernels that do without.

use crate::compile::{CAPABILITIES, EXTENSIONS};
use rspirv::{
    dr::{Instruction, Module, Operand},
    spirv::{Capability, Op},
};
use std::collections::HashSet;

/// Keeps, of the capabilities that the builder was given, those that some instruction needs. All others stay as they are.
pub fn keep_used(module: &mut Module) {
    let used: HashSet<Capability> = module
        .all_inst_iter()
        .filter(|instruction| !matches!(instruction.operands[..], [Operand::Capability(_)]))
        .flat_map(needed)
        .collect();
    module.capabilities.retain(|declaration| match declaration.operands[..] {
        [Operand::Capability(capability)] => !is_ours(capability) || used.contains(&capability),
        _ => true,
    });
    module.extensions.retain(|declaration| match &declaration.operands[..] {
        [Operand::LiteralString(name)] => {
            let ours = EXTENSIONS.iter().find(|(extension, _)| extension == name);
            ours.is_none_or(|(_, needs)| used.iter().any(|used| *used as u32 == *needs as u32))
        }
        _ => true,
    });
}

fn is_ours(capability: Capability) -> bool {
    // The builder has its own copy of the enumeration; the numbers are SPIR-V's.
    CAPABILITIES.iter().any(|ours| *ours as u32 == capability as u32)
}

/// What an instruction needs by its operation and its operands.
fn needed(instruction: &Instruction) -> Vec<Capability> {
    // Reduce or scan, that operand says, which any of three capabilities allows; the operation says which one it is.
    let operands = instruction.operands.iter().filter(|operand| !matches!(operand, Operand::GroupOperation(_)));
    let operands = operands.flat_map(Operand::required_capabilities);
    // A number's width needs a capability that the grammar does not know of.
    let double = instruction.class.opcode == Op::TypeFloat && instruction.operands[0] == Operand::LiteralBit32(64);
    let width = double.then_some(Capability::Float64);
    instruction.class.capabilities.iter().copied().chain(operands).chain(width).collect()
}

#[cfg(test)]
mod tests {
    use super::keep_used;
    use rspirv::{
        dr::{Builder, Module, Operand},
        spirv::{AddressingModel, BuiltIn, Capability, Decoration, FunctionControl, GroupOperation, MemoryModel},
    };

    const DECLARED: [Capability; 8] = [
        Capability::Shader,
        Capability::AtomicFloat32AddEXT,
        Capability::Float64,
        Capability::GroupNonUniform,
        Capability::GroupNonUniformArithmetic,
        Capability::GroupNonUniformBallot,
        Capability::GroupNonUniformShuffle,
        Capability::VulkanMemoryModel,
    ];

    /// A module that declares more than the function's body needs.
    fn module(body: impl FnOnce(&mut Builder)) -> Module {
        let mut builder = Builder::new();
        builder.set_version(1, 5);
        for capability in DECLARED {
            builder.capability(capability);
        }
        builder.extension("SPV_EXT_shader_atomic_float_add");
        builder.extension("SPV_KHR_non_semantic_info");
        builder.memory_model(AddressingModel::Logical, MemoryModel::Vulkan);
        let nothing = builder.type_void();
        let signature = builder.type_function(nothing, []);
        builder.begin_function(nothing, None, FunctionControl::NONE, signature).unwrap();
        builder.begin_block(None).unwrap();
        body(&mut builder);
        builder.ret().unwrap();
        builder.end_function().unwrap();
        builder.module()
    }

    fn kept(mut module: Module) -> Vec<Capability> {
        keep_used(&mut module);
        let operands = module.capabilities.iter().map(|declaration| &declaration.operands[0]);
        operands.map(|operand| if let Operand::Capability(it) = operand { *it } else { panic!("{operand}") }).collect()
    }

    #[test]
    fn a_kernel_without_subgroups_needs_none_of_theirs() {
        assert_eq!(kept(module(|_| {})), [Capability::Shader, Capability::VulkanMemoryModel]);
    }

    #[test]
    fn a_reduction_needs_arithmetic_alone() {
        let used = kept(module(|builder| {
            let word = builder.type_int(32, 0);
            let scope = builder.constant_bit32(word, 3);
            builder.group_non_uniform_i_add(word, None, scope, GroupOperation::Reduce, scope, None).unwrap();
        }));
        let expected = [Capability::Shader, Capability::GroupNonUniformArithmetic, Capability::VulkanMemoryModel];
        assert_eq!(used, expected);
    }

    #[test]
    fn double_precision_is_a_capability() {
        let used = kept(module(|builder| {
            builder.type_float(32, None);
            builder.type_float(64, None);
        }));
        assert_eq!(used, [Capability::Shader, Capability::Float64, Capability::VulkanMemoryModel]);
        let used = kept(module(|builder| {
            builder.type_float(32, None);
        }));
        assert_eq!(used, [Capability::Shader, Capability::VulkanMemoryModel]);
    }

    #[test]
    fn an_extension_stays_where_its_capability_is_used() {
        let extensions = |body: fn(&mut Builder)| {
            let mut module = module(body);
            keep_used(&mut module);
            module.extensions.iter().map(|it| it.operands[0].unwrap_literal_string().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(extensions(|_| {}), ["SPV_KHR_non_semantic_info"]);
        let add = |builder: &mut Builder| {
            let number = builder.type_float(32, None);
            let word = builder.type_int(32, 0);
            let (scope, value) = (builder.constant_bit32(word, 5), builder.constant_bit32(number, 0));
            let pointer = builder.id();
            builder.atomic_f_add_ext(number, None, pointer, scope, scope, value).unwrap();
        };
        assert_eq!(extensions(add), ["SPV_EXT_shader_atomic_float_add", "SPV_KHR_non_semantic_info"]);
        let expected = [Capability::Shader, Capability::AtomicFloat32AddEXT, Capability::VulkanMemoryModel];
        assert_eq!(kept(module(add)), expected);
    }

    #[test]
    fn a_builtin_counts_as_a_use() {
        let used = kept(module(|builder| {
            let variable = builder.id();
            builder.decorate(variable, Decoration::BuiltIn, [Operand::BuiltIn(BuiltIn::SubgroupSize)]);
        }));
        assert_eq!(used, [Capability::Shader, Capability::GroupNonUniform, Capability::VulkanMemoryModel]);
    }
}
