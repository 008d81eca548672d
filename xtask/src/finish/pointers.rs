//! Takes structs that hold pointers apart, and refuses modules that keep pointers in memory or choose between them.
//!
//! Under logical addressing a pointer may not be a part of anything. rust-gpu leaves structs of references behind, such as the captures
//! of a closure that was inlined. The validator lets them pass, and compilers of drivers crash on them: SwiftShader's on every struct
//! with a pointer to workgroup memory, NVIDIA's (580) on variables and phis of them.
//!
//! Where the optimiser does not see through a closure that captures another, its references stay in a variable. Where a loop changes
//! a field of a struct that also holds buffers, the whole struct is chosen anew in each round. A function in place of the inner closure
//! helps, and a variable in place of the field.

use anyhow::{Result, bail};
use rspirv::{
    dr::{Instruction, Module, Operand},
    spirv::Op,
};
use std::collections::{HashMap, HashSet};

/// Replaces every member that is taken out of a struct with pointers by what was put in, and removes the structs, which nothing uses
/// any more.
pub fn take_apart(module: &mut Module) {
    let with_pointers: HashSet<u32> = {
        let types = types(module);
        types
            .keys()
            .copied()
            .filter(|id| types[id].class.opcode != Op::TypePointer && holds_pointer(&types, *id))
            .collect()
    };
    let holds = |instruction: &Instruction| instruction.result_type.is_some_and(|kind| with_pointers.contains(&kind));
    loop {
        let constructed: HashMap<u32, Vec<Operand>> = bodies(module)
            .filter(|it| it.class.opcode == Op::CompositeConstruct && holds(it))
            .filter_map(|it| Some((it.result_id?, it.operands.clone())))
            .collect();
        let members: HashMap<u32, u32> = bodies(module).filter_map(|it| member(it, &constructed)).collect();
        for instruction in module.all_inst_iter_mut() {
            for operand in &mut instruction.operands {
                if let Operand::IdRef(id) = operand
                    && let Some(member) = members.get(id)
                {
                    *id = *member;
                }
            }
        }
        remove_unused(module, |it| {
            it.result_id.is_some_and(|id| members.contains_key(&id) || with_pointers.contains(&id)) || holds(it)
        });
        // What was taken out may itself be a struct that something is taken out of.
        if members.is_empty() {
            return;
        }
    }
}

/// The value that an instruction takes out of a struct that was put together in the same function, and the instruction's own id.
fn member(extract: &Instruction, constructed: &HashMap<u32, Vec<Operand>>) -> Option<(u32, u32)> {
    let (Op::CompositeExtract, [Operand::IdRef(from), places @ ..]) = (extract.class.opcode, &extract.operands[..])
    else {
        return None;
    };
    let mut value = *from;
    for place in places {
        let Operand::LiteralBit32(place) = place else { return None };
        let Operand::IdRef(next) = constructed.get(&value)?.get(*place as usize)? else { return None };
        value = *next;
    }
    Some((extract.result_id?, value))
}

/// Removes those instructions that may go and whose results nothing but names and decorations refers to.
fn remove_unused(module: &mut Module, may_go: impl Fn(&Instruction) -> bool) {
    loop {
        let used: HashSet<u32> = module
            .types_global_values
            .iter()
            .chain(bodies(module))
            .flat_map(|it| it.result_type.into_iter().chain(it.operands.iter().filter_map(Operand::id_ref_any)))
            .collect();
        let mut gone = HashSet::new();
        let mut stays = |instruction: &Instruction| match instruction.result_id {
            Some(id) if may_go(instruction) && !used.contains(&id) => !gone.insert(id),
            _ => true,
        };
        module.types_global_values.retain(&mut stays);
        for block in module.functions.iter_mut().flat_map(|function| &mut function.blocks) {
            block.instructions.retain(&mut stays);
        }
        if gone.is_empty() {
            return;
        }
        for notes in [&mut module.debug_names, &mut module.annotations] {
            notes.retain(|it| !it.operands.first().and_then(Operand::id_ref_any).is_some_and(|id| gone.contains(&id)));
        }
    }
}

/// Refuses a module that has a struct with pointers, or in which a function has a variable that holds a pointer or chooses between
/// values that do.
pub fn refuse_kept(module: &Module) -> Result<()> {
    let types = types(module);
    for instruction in bodies(module) {
        let Some(kind) = instruction.result_type else { continue };
        match instruction.class.opcode {
            Op::Variable if pointee(&types, kind).is_some_and(|pointee| holds_pointer(&types, pointee)) => {
                bail!("a variable holds a pointer, which crashes a driver: does a closure capture another?")
            }
            Op::Phi | Op::Select if holds_pointer(&types, kind) => bail!(
                "a pointer is chosen as it runs, which crashes a driver: does a loop change a field of a struct with buffers?"
            ),
            _ if types[&kind].class.opcode != Op::TypePointer && holds_pointer(&types, kind) => bail!(
                "a struct with a pointer is left ({:?}), which crashes a driver: is it passed where the optimiser does not see through?",
                instruction.class.opcode
            ),
            _ => {}
        }
    }
    Ok(())
}

fn types(module: &Module) -> HashMap<u32, &Instruction> {
    module.types_global_values.iter().filter_map(|kind| Some((kind.result_id?, kind))).collect()
}

fn bodies(module: &Module) -> impl Iterator<Item = &Instruction> {
    module.functions.iter().flat_map(|function| &function.blocks).flat_map(|block| &block.instructions)
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
    use super::{bodies, refuse_kept, take_apart};
    use rspirv::{
        dr::{Builder, Module},
        spirv::{AddressingModel, FunctionControl, MemoryModel, Op, StorageClass},
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

    /// A function that puts a struct with a pointer into another, and loads through what it takes out again.
    fn nested(extract: bool) -> Module {
        let mut builder = Builder::new();
        builder.memory_model(AddressingModel::Logical, MemoryModel::Vulkan);
        let (nothing, word) = (builder.type_void(), builder.type_int(32, 0));
        let signature = builder.type_function(nothing, []);
        let pointer = builder.type_pointer(None, StorageClass::Workgroup, word);
        let (inner, seven) = (builder.type_struct([pointer]), builder.constant_bit32(word, 7));
        let outer = builder.type_struct([word, inner]);
        let variable = builder.variable(pointer, None, StorageClass::Workgroup, None);
        builder.begin_function(nothing, None, FunctionControl::NONE, signature).unwrap();
        builder.begin_block(None).unwrap();
        let small = builder.composite_construct(inner, None, [variable]).unwrap();
        let large = builder.composite_construct(outer, None, [seven, small]).unwrap();
        builder.name(large, "captures");
        if extract {
            let small = builder.composite_extract(inner, None, large, [1]).unwrap();
            let taken = builder.composite_extract(pointer, None, small, [0]).unwrap();
            builder.load(word, None, taken, None, []).unwrap();
        } else {
            let other = builder.composite_insert(outer, None, seven, large, [0]).unwrap();
            let taken = builder.composite_extract(pointer, None, other, [1, 0]).unwrap();
            builder.load(word, None, taken, None, []).unwrap();
        }
        builder.ret().unwrap();
        builder.end_function().unwrap();
        builder.module()
    }

    #[test]
    fn structs_with_pointers_are_taken_apart() {
        let mut module = nested(true);
        assert!(refuse_kept(&module).is_err());
        take_apart(&mut module);
        assert!(refuse_kept(&module).is_ok());
        let variable = module.types_global_values.iter().find(|it| it.class.opcode == Op::Variable).unwrap();
        let body: Vec<_> = bodies(&module).collect();
        let [load, end] = body[..] else { panic!("{body:?}") };
        assert_eq!((load.class.opcode, end.class.opcode), (Op::Load, Op::Return));
        assert_eq!(load.operands[0].unwrap_id_ref(), variable.result_id.unwrap());
        assert!(
            module.debug_names.is_empty()
                && !module.types_global_values.iter().any(|it| it.class.opcode == Op::TypeStruct)
        );
    }

    #[test]
    fn what_cannot_be_taken_apart_is_refused() {
        let mut module = nested(false);
        take_apart(&mut module);
        assert!(refuse_kept(&module).unwrap_err().to_string().contains("struct with a pointer"));
    }
}
