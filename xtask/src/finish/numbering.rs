//! Puts what a module declares into an order of its own: that in which its code uses it. rust-gpu's order depends on the other entry points that
//! it compiles at once, so that without this a new kernel would change the modules of others.

use rspirv::{
    binary::Assemble,
    dr::{Instruction, Module, Operand},
};
use std::collections::{HashMap, HashSet};

/// Orders types, constants and variables by their first use, numbers all ids in the order in which they are defined, and sorts what names and
/// decorates them.
pub fn by_use(module: &mut Module) {
    order_declarations(module);
    renumber(module);
    for entry_point in &mut module.entry_points {
        // Behind the execution model, the function and the name come the variables.
        entry_point.operands[3..].sort_by_key(|operand| operand.id_ref_any());
    }
    for listed in [&mut module.execution_modes, &mut module.debug_names, &mut module.annotations] {
        listed.sort_by_cached_key(Assemble::assemble);
    }
}

/// What a declaration needs comes before it, as it must; what no code uses keeps its place behind the others.
fn order_declarations(module: &mut Module) {
    let declarations: HashMap<u32, &Instruction> =
        module.types_global_values.iter().filter_map(|it| Some((it.result_id?, it))).collect();
    let mut order = Order { declarations: &declarations, seen: HashSet::new(), places: HashMap::new() };
    let code = module.functions.iter().flat_map(|function| function.all_inst_iter());
    for instruction in code.chain(&module.types_global_values) {
        order.use_operands(instruction);
        instruction.result_id.into_iter().for_each(|id| order.declare(id));
    }
    let places = order.places;
    let place = |it: &Instruction| it.result_id.and_then(|id| places.get(&id)).copied().unwrap_or(usize::MAX);
    module.types_global_values.sort_by_key(place);
}

/// The declarations in the order in which they are used.
struct Order<'a> {
    declarations: &'a HashMap<u32, &'a Instruction>,
    /// Those whose place is known, or that need another one first.
    seen: HashSet<u32>,
    places: HashMap<u32, usize>,
}

impl Order<'_> {
    fn use_operands(&mut self, instruction: &Instruction) {
        let ids = instruction.operands.iter().filter_map(Operand::id_ref_any);
        instruction.result_type.into_iter().chain(ids).for_each(|id| self.declare(id));
    }

    fn declare(&mut self, id: u32) {
        let Some(declaration) = self.declarations.get(&id).copied() else { return };
        if self.seen.insert(id) {
            self.use_operands(declaration);
            self.places.insert(id, self.places.len());
        }
    }
}

fn renumber(module: &mut Module) {
    let defined = module.all_inst_iter().filter_map(|instruction| instruction.result_id);
    let numbers: HashMap<u32, u32> = defined.zip(1..).collect();
    let number = |id: &mut u32| {
        if let Some(number) = numbers.get(id) {
            *id = *number;
        }
    };
    for instruction in module.all_inst_iter_mut() {
        instruction.result_id.iter_mut().for_each(number);
        instruction.result_type.iter_mut().for_each(number);
        instruction.operands.iter_mut().filter_map(Operand::id_ref_any_mut).for_each(number);
    }
    if let Some(header) = &mut module.header {
        header.bound = numbers.len() as u32 + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::by_use;
    use rspirv::{
        binary::{Assemble, Disassemble},
        dr::{Builder, Module},
        spirv::{Decoration, FunctionControl, StorageClass},
    };

    /// A function that stores a constant in each of two variables, which are declared, named and decorated in one order or in the other.
    fn module(reversed: bool) -> Module {
        let mut builder = Builder::new();
        let nothing = builder.type_void();
        let mut words = [1, 2];
        if reversed {
            words.reverse();
        }
        let signed = reversed.then(|| builder.type_int(32, 1));
        let word = builder.type_int(32, 0);
        let pointer = builder.type_pointer(None, StorageClass::Private, word);
        let mut stored = words.map(|number| {
            let variable = builder.variable(pointer, None, StorageClass::Private, None);
            builder.name(variable, format!("variable {number}"));
            builder.decorate(variable, Decoration::Aliased, []);
            (number, variable, builder.constant_bit32(word, number))
        });
        stored.sort_unstable();
        let signature = builder.type_function(nothing, []);
        builder.begin_function(nothing, None, FunctionControl::NONE, signature).unwrap();
        builder.begin_block(None).unwrap();
        for (_, variable, constant) in stored {
            builder.store(variable, constant, None, []).unwrap();
        }
        builder.ret().unwrap();
        builder.end_function().unwrap();
        let mut module = builder.module();
        module.types_global_values.retain(|it| it.result_id != signed);
        module
    }

    #[test]
    fn modules_that_differ_in_their_order_alone_become_equal() {
        let [mut first, mut second] = [module(false), module(true)];
        assert_ne!(first.assemble(), second.assemble());
        by_use(&mut first);
        by_use(&mut second);
        assert_eq!(first.assemble(), second.assemble(), "{}\n{}", first.disassemble(), second.disassemble());
    }

    #[test]
    fn once_is_as_good_as_twice() {
        let mut once = module(true);
        by_use(&mut once);
        let mut twice = once.clone();
        by_use(&mut twice);
        assert_eq!(once.assemble(), twice.assemble());
    }

    #[test]
    fn every_id_is_declared_before_it_is_used() {
        let mut module = module(true);
        by_use(&mut module);
        let mut declared = Vec::new();
        for instruction in
            module.types_global_values.iter().chain(module.functions.iter().flat_map(|it| it.all_inst_iter()))
        {
            let ids = instruction.operands.iter().filter_map(|operand| operand.id_ref_any());
            for id in instruction.result_type.into_iter().chain(ids) {
                assert!(declared.contains(&id), "{id} in {}", module.disassemble());
            }
            declared.extend(instruction.result_id);
        }
    }
}
