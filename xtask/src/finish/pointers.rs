//! Refuses modules that keep pointers in memory, or that choose between them.
//!
//! Where the optimiser does not see through a closure that captures another, its references stay in a variable. Where a loop changes
//! a field of a struct that also holds buffers, the whole struct is chosen anew in each round. The validator lets both pass, and
//! NVIDIA's driver (580) crashes on them. A function in place of the inner closure helps, and a variable in place of the field.

use anyhow::{Result, bail};
use rspirv::{
    dr::{Instruction, Module, Operand},
    spirv::Op,
};
use std::collections::HashMap;

/// Refuses a module in which a function has a variable that holds a pointer, or chooses between values that do.
pub fn refuse_kept(module: &Module) -> Result<()> {
    let types: HashMap<u32, &Instruction> =
        module.types_global_values.iter().filter_map(|kind| Some((kind.result_id?, kind))).collect();
    let bodies = module.functions.iter().flat_map(|function| &function.blocks).flat_map(|block| &block.instructions);
    for instruction in bodies {
        let Some(kind) = instruction.result_type else { continue };
        match instruction.class.opcode {
            Op::Variable if pointee(&types, kind).is_some_and(|pointee| holds_pointer(&types, pointee)) => {
                bail!("a variable holds a pointer, which crashes a driver: does a closure capture another?")
            }
            Op::Phi | Op::Select if holds_pointer(&types, kind) => bail!(
                "a pointer is chosen as it runs, which crashes a driver: does a loop change a field of a struct with buffers?"
            ),
            _ => {}
        }
    }
    Ok(())
}

/// What a pointer type points to.
fn pointee(types: &HashMap<u32, &Instruction>, pointer: u32) -> Option<u32> {
    match types.get(&pointer)?.operands.as_slice() {
        [_, Operand::IdRef(pointee)] => Some(*pointee),
        _ => None,
    }
}

fn holds_pointer(types: &HashMap<u32, &Instruction>, id: u32) -> bool {
    let Some(kind) = types.get(&id) else { return false };
    match kind.class.opcode {
        Op::TypePointer => true,
        Op::TypeStruct | Op::TypeArray => {
            kind.operands.iter().any(|operand| matches!(operand, Operand::IdRef(id) if holds_pointer(types, *id)))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::refuse_kept;
    use rspirv::{
        dr::{Builder, Module},
        spirv::{AddressingModel, FunctionControl, MemoryModel, StorageClass},
    };

    /// A module whose function has a variable of the type that `kind` makes.
    fn module(kind: impl FnOnce(&mut Builder) -> u32) -> Module {
        let mut builder = Builder::new();
        builder.memory_model(AddressingModel::Logical, MemoryModel::Vulkan);
        let nothing = builder.type_void();
        let signature = builder.type_function(nothing, []);
        let kind = kind(&mut builder);
        let pointer = builder.type_pointer(None, StorageClass::Function, kind);
        builder.begin_function(nothing, None, FunctionControl::NONE, signature).unwrap();
        builder.begin_block(None).unwrap();
        builder.variable(pointer, None, StorageClass::Function, None);
        builder.ret().unwrap();
        builder.end_function().unwrap();
        builder.module()
    }

    #[test]
    fn numbers_may_be_kept() {
        assert!(refuse_kept(&module(|builder| builder.type_int(32, 0))).is_ok());
    }

    #[test]
    fn pointers_may_not() {
        let kept = module(|builder| {
            let word = builder.type_int(32, 0);
            let pointer = builder.type_pointer(None, StorageClass::Workgroup, word);
            builder.type_struct([word, pointer])
        });
        assert!(refuse_kept(&kept).unwrap_err().to_string().contains("closure"));
    }

    #[test]
    fn pointers_may_not_be_chosen() {
        let mut builder = Builder::new();
        builder.memory_model(AddressingModel::Logical, MemoryModel::Vulkan);
        let (nothing, word) = (builder.type_void(), builder.type_int(32, 0));
        let signature = builder.type_function(nothing, []);
        let pointer = builder.type_pointer(None, StorageClass::StorageBuffer, word);
        let both = builder.type_struct([word, pointer]);
        let undefined = builder.undef(both, None);
        builder.begin_function(nothing, None, FunctionControl::NONE, signature).unwrap();
        let block = builder.begin_block(None).unwrap();
        builder.phi(both, None, [(undefined, block)]).unwrap();
        builder.ret().unwrap();
        builder.end_function().unwrap();
        assert!(refuse_kept(&builder.module()).unwrap_err().to_string().contains("struct with buffers"));
    }
}
