//! Makes barriers order workgroup memory.
//!
//! Under the Vulkan memory model a barrier orders only accesses that are marked NonPrivatePointer; any other is private to its
//! invocation, and a compiler may move it across the barrier. rust-gpu marks none. What lies in workgroup memory is there to be
//! shared, so every plain load, store and copy of it is marked here.

use rspirv::{
    dr::{Instruction, Module, Operand},
    spirv::{MemoryAccess, Op, StorageClass},
};
use std::collections::HashMap;

/// Marks every plain access to workgroup memory.
pub fn order(module: &mut Module) {
    let shared = SharedPointers::of(module);
    for instruction in module.all_inst_iter_mut() {
        if shared.are_accessed_by(instruction) {
            mark(instruction);
        }
    }
}

/// The ids of a module that point to workgroup memory.
struct SharedPointers(HashMap<u32, bool>);

impl SharedPointers {
    fn of(module: &Module) -> Self {
        let types: HashMap<u32, bool> = module
            .types_global_values
            .iter()
            .filter(|instruction| instruction.class.opcode == Op::TypePointer)
            .filter_map(|pointer| {
                Some((pointer.result_id?, pointer.operands.first()? == &Operand::StorageClass(StorageClass::Workgroup)))
            })
            .collect();
        let pointers = module
            .all_inst_iter()
            .filter_map(|instruction| Some((instruction.result_id?, *types.get(&instruction.result_type?)?)));
        Self(pointers.collect())
    }

    fn are_accessed_by(&self, instruction: &Instruction) -> bool {
        let pointers = match instruction.class.opcode {
            Op::Load | Op::Store => 1,
            Op::CopyMemory => 2,
            _ => 0,
        };
        instruction.operands[..pointers]
            .iter()
            .any(|operand| matches!(operand, Operand::IdRef(pointer) if self.0.get(pointer) == Some(&true)))
    }
}

fn mark(instruction: &mut Instruction) {
    let mut marked = false;
    for operand in &mut instruction.operands {
        if let Operand::MemoryAccess(access) = operand {
            *access |= MemoryAccess::NON_PRIVATE_POINTER;
            marked = true;
        }
    }
    if !marked {
        instruction.operands.push(Operand::MemoryAccess(MemoryAccess::NON_PRIVATE_POINTER));
    }
}

#[cfg(test)]
mod tests {
    use super::{SharedPointers, order};
    use rspirv::{
        dr::{Builder, Instruction, Module, Operand},
        spirv::{FunctionControl, MemoryAccess, Op, StorageClass},
    };
    use std::fs;

    /// One load, one store and one copy, each within workgroup memory and within private memory; a load is aligned.
    fn module() -> Module {
        let mut builder = Builder::new();
        let nothing = builder.type_void();
        let word = builder.type_int(32, 0);
        let signature = builder.type_function(nothing, []);
        let [shared, private] = [StorageClass::Workgroup, StorageClass::Private].map(|class| {
            let pointer = builder.type_pointer(None, class, word);
            [(); 2].map(|()| builder.variable(pointer, None, class, None))
        });
        builder.begin_function(nothing, None, FunctionControl::NONE, signature).unwrap();
        builder.begin_block(None).unwrap();
        for [from, to] in [shared, private] {
            let aligned = Some(MemoryAccess::ALIGNED);
            let value = builder.load(word, None, from, aligned, [Operand::LiteralBit32(4)]).unwrap();
            builder.store(to, value, None, []).unwrap();
            builder.copy_memory(to, from, None, None, []).unwrap();
        }
        builder.ret().unwrap();
        builder.end_function().unwrap();
        builder.module()
    }

    fn accesses(module: &Module) -> Vec<&Instruction> {
        let kinds = [Op::Load, Op::Store, Op::CopyMemory];
        module.all_inst_iter().filter(|instruction| kinds.contains(&instruction.class.opcode)).collect()
    }

    fn access(instruction: &Instruction) -> MemoryAccess {
        let mut operands = instruction.operands.iter();
        operands
            .find_map(|operand| if let Operand::MemoryAccess(it) = operand { Some(*it) } else { None })
            .unwrap_or(MemoryAccess::NONE)
    }

    #[test]
    fn marks_what_is_shared_and_nothing_else() {
        let mut module = module();
        order(&mut module);
        let marks: Vec<_> = accesses(&module).into_iter().map(access).collect();
        let (aligned, marked) = (MemoryAccess::ALIGNED, MemoryAccess::NON_PRIVATE_POINTER);
        assert_eq!(marks, [aligned | marked, marked, marked, aligned, MemoryAccess::NONE, MemoryAccess::NONE]);
    }

    #[test]
    fn a_mark_leaves_the_alignment_in_its_place() {
        let mut module = module();
        order(&mut module);
        let expected = MemoryAccess::ALIGNED | MemoryAccess::NON_PRIVATE_POINTER;
        let operands = &accesses(&module)[0].operands;
        assert_eq!(operands[1..], [Operand::MemoryAccess(expected), Operand::LiteralBit32(4)]);
    }

    #[test]
    fn the_committed_kernels_share_through_marked_accesses() {
        let mut marks = Vec::new();
        for entry in fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../shader-crate/spirv")).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "spv") {
                let module = crate::finish::parse(&fs::read(&path).unwrap()).unwrap();
                let shared = SharedPointers::of(&module);
                let accesses = accesses(&module).into_iter().filter(|it| shared.are_accessed_by(it)).map(access);
                marks.extend(accesses.map(|access| access.contains(MemoryAccess::NON_PRIVATE_POINTER)));
            }
        }
        assert!(!marks.is_empty(), "no kernel has workgroup memory");
        assert!(marks.iter().all(|marked| *marked));
    }
}
