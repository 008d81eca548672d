//! Refuses modules that keep pointers in memory.
//!
//! Where the optimiser does not see through a closure that captures another, its references stay in a variable. The validator
//! lets that pass, and NVIDIA's driver (580) crashes on it. A function in place of the inner closure helps.

use anyhow::{Result, bail};
use rspirv::{
    dr::{Instruction, Module, Operand},
    spirv::Op,
};
use std::collections::HashMap;

/// Refuses a module in which a function has a variable that holds a pointer.
pub fn refuse_kept(module: &Module) -> Result<()> {
    let types: HashMap<u32, &Instruction> =
        module.types_global_values.iter().filter_map(|kind| Some((kind.result_id?, kind))).collect();
    let bodies = module.functions.iter().flat_map(|function| &function.blocks).flat_map(|block| &block.instructions);
    for variable in bodies.filter(|instruction| instruction.class.opcode == Op::Variable) {
        let pointer = variable.result_type.and_then(|id| types.get(&id));
        if let Some([_, Operand::IdRef(pointee)]) = pointer.map(|pointer| pointer.operands.as_slice())
            && holds_pointer(&types, *pointee)
        {
            bail!("a variable holds a pointer, which crashes a driver: does a closure capture another?");
        }
    }
    Ok(())
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
}
