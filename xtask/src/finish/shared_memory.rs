//! Makes barriers order workgroup memory.
//!
//! Under the Vulkan memory model a barrier orders only accesses that are marked NonPrivatePointer; any other is private to its
//! invocation, and a compiler may move it across the barrier. rust-gpu marks none. What lies in workgroup memory is there to be
//! shared, so every plain load, store and copy of it is marked here.

use anyhow::{Result, ensure};
use rspirv::{
    dr::{Instruction, Module, Operand},
    spirv::{MemoryAccess, Op, StorageClass},
};
use std::collections::{HashMap, HashSet};

/// Marks every plain access to workgroup memory.
pub fn order(module: &mut Module) {
    let shared = SharedPointers::of(module);
    for instruction in module.all_inst_iter_mut() {
        if shared.are_accessed_by(instruction) {
            mark(instruction);
        }
    }
}

/// Refuses a module that reads a workgroup array which it never writes. rust-gpu drops stores to an array that lies in a struct within a
/// struct within another, without a word; such structs must be flat.
pub fn refuse_unwritten(module: &Module) -> Result<()> {
    let arrays = module.types_global_values.iter().filter(|it| it.class.opcode == Op::Variable && is_shared(it));
    let mut roots: HashMap<u32, u32> = arrays.filter_map(|array| array.result_id).map(|id| (id, id)).collect();
    let (mut read, mut written) = (HashSet::new(), HashSet::new());
    for instruction in module.functions.iter().flat_map(|function| function.all_inst_iter()) {
        let root = |place: usize| match instruction.operands.get(place) {
            Some(Operand::IdRef(id)) => roots.get(id).copied(),
            _ => None,
        };
        match instruction.class.opcode {
            Op::AccessChain | Op::InBoundsAccessChain => {
                if let (Some(id), Some(array)) = (instruction.result_id, root(0)) {
                    roots.insert(id, array);
                }
            }
            Op::Load => read.extend(root(0)),
            Op::CopyMemory => {
                written.extend(root(0));
                read.extend(root(1));
            }
            // Stores and atomics; an atomic load alone would not count, but none is made of workgroup memory.
            _ => written.extend(root(0)),
        }
    }
    ensure!(
        read.is_subset(&written),
        "a workgroup array is read but never written: is it within structs within structs?"
    );
    Ok(())
}

/// Whether the storage class of a variable or of a pointer type is workgroup memory.
fn is_shared(instruction: &Instruction) -> bool {
    instruction.operands.first() == Some(&Operand::StorageClass(StorageClass::Workgroup))
}

/// The ids of a module that point to workgroup memory.
struct SharedPointers(HashSet<u32>);

impl SharedPointers {
    fn of(module: &Module) -> Self {
        let types = module.types_global_values.iter().filter(|it| it.class.opcode == Op::TypePointer && is_shared(it));
        let types: HashSet<u32> = types.filter_map(|pointer| pointer.result_id).collect();
        let is_pointer = |it: &&Instruction| it.result_type.is_some_and(|kind| types.contains(&kind));
        Self(module.all_inst_iter().filter(is_pointer).filter_map(|it| it.result_id).collect())
    }

    fn are_accessed_by(&self, instruction: &Instruction) -> bool {
        let pointers = match instruction.class.opcode {
            Op::Load | Op::Store => 1,
            Op::CopyMemory => 2,
            _ => 0,
        };
        instruction.operands[..pointers]
            .iter()
            .any(|operand| matches!(operand, Operand::IdRef(pointer) if self.0.contains(pointer)))
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
    use super::{SharedPointers, order, refuse_unwritten};
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

    /// A module that reads a workgroup variable, and writes it if `written`.
    fn reading(written: bool) -> Module {
        let mut builder = Builder::new();
        let nothing = builder.type_void();
        let word = builder.type_int(32, 0);
        let signature = builder.type_function(nothing, []);
        let pointer = builder.type_pointer(None, StorageClass::Workgroup, word);
        let shared = builder.variable(pointer, None, StorageClass::Workgroup, None);
        builder.begin_function(nothing, None, FunctionControl::NONE, signature).unwrap();
        builder.begin_block(None).unwrap();
        let value = builder.load(word, None, shared, None, []).unwrap();
        if written {
            builder.store(shared, value, None, []).unwrap();
        }
        builder.ret().unwrap();
        builder.end_function().unwrap();
        builder.module()
    }

    #[test]
    fn an_array_that_is_read_but_never_written_is_refused() {
        assert!(refuse_unwritten(&reading(true)).is_ok());
        assert!(refuse_unwritten(&reading(false)).unwrap_err().to_string().contains("never written"));
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
