//! What a SPIR-V module says of itself: enough to make a pipeline of it, and to refuse it in words where a device lacks something.

use crate::{Error, Result};
use evenkeel_kernels::launch::Kernel;
use std::{collections::HashMap, io::Cursor};

/// The instructions and enumerants of SPIR-V that are read here.
mod spirv {
    pub const ENTRY_POINT: u32 = 15;
    pub const EXECUTION_MODE: u32 = 16;
    pub const CAPABILITY: u32 = 17;
    pub const TYPE_INT: u32 = 21;
    pub const TYPE_FLOAT: u32 = 22;
    pub const TYPE_VECTOR: u32 = 23;
    pub const TYPE_ARRAY: u32 = 28;
    pub const TYPE_STRUCT: u32 = 30;
    pub const TYPE_POINTER: u32 = 32;
    pub const CONSTANT: u32 = 43;
    pub const VARIABLE: u32 = 59;
    pub const DECORATE: u32 = 71;
    pub const LOCAL_SIZE: u32 = 17;
    pub const BINDING: u32 = 33;
    pub const WORKGROUP: u32 = 4;
    pub const PUSH_CONSTANT: u32 = 9;
    /// Words before the first instruction.
    pub const HEADER: usize = 5;
}

/// What a pipeline is made from.
#[derive(Clone, Debug)]
pub(super) struct Module {
    /// The name of the kernel, and of the entry point.
    pub(super) name: String,
    pub(super) code: Vec<u32>,
    /// Invocations in a workgroup.
    pub(super) threads: u32,
    pub(super) buffers: usize,
    pub(super) params_bytes: usize,
    pub(super) workgroup_bytes: usize,
}

impl Module {
    /// The module of a kernel, whose description says what else is needed.
    pub(super) fn of(kernel: &Kernel) -> Result<Self> {
        Ok(Self {
            name: kernel.name.to_owned(),
            code: words(kernel.name, kernel.spirv)?,
            threads: kernel.threads,
            buffers: kernel.buffers.len(),
            params_bytes: kernel.params_bytes,
            workgroup_bytes: kernel.shared_bytes.iter().sum(),
        })
    }

    /// A module by itself; `name` is what an error calls it.
    pub(super) fn read(name: &str, bytes: &[u8]) -> Result<Self> {
        let code = words(name, bytes)?;
        let damaged = || Error::Device(format!("{name} is no module with a compute kernel"));
        let mut module =
            Self { name: String::new(), code: Vec::new(), threads: 1, buffers: 0, params_bytes: 0, workgroup_bytes: 0 };
        let mut types = Types::default();
        for (operation, operands) in instructions(&code) {
            match (operation, operands) {
                (spirv::ENTRY_POINT, [_, _, name @ ..]) => module.name = text(name),
                (spirv::EXECUTION_MODE, [_, spirv::LOCAL_SIZE, x, y, z]) => {
                    module.threads = x.saturating_mul(*y).saturating_mul(*z);
                }
                (spirv::DECORATE, [_, spirv::BINDING, binding]) => {
                    module.buffers = module.buffers.max(*binding as usize + 1);
                }
                (spirv::VARIABLE, [pointer, _, spirv::WORKGROUP, ..]) => {
                    module.workgroup_bytes = module.workgroup_bytes.saturating_add(types.size(*pointer))
                }
                (spirv::VARIABLE, [pointer, _, spirv::PUSH_CONSTANT, ..]) => {
                    module.params_bytes = module.params_bytes.saturating_add(types.size(*pointer))
                }
                _ => types.read(operation, operands),
            }
        }
        if module.name.is_empty() { Err(damaged()) } else { Ok(Self { code, ..module }) }
    }

    /// What a device must be capable of to run it, by SPIR-V's numbers.
    pub(super) fn capabilities(&self) -> impl Iterator<Item = u32> + '_ {
        // They are the first instructions.
        instructions(&self.code).map_while(|(operation, operands)| match (operation, operands) {
            (spirv::CAPABILITY, [capability]) => Some(*capability),
            _ => None,
        })
    }
}

/// The types and constants that a module has declared so far.
#[derive(Default)]
struct Types {
    /// Bytes of a type, or of what a pointer points to.
    sizes: HashMap<u32, usize>,
    constants: HashMap<u32, usize>,
}

impl Types {
    fn size(&self, id: u32) -> usize {
        self.sizes.get(&id).copied().unwrap_or(0)
    }

    fn read(&mut self, operation: u32, operands: &[u32]) {
        let (id, bytes) = match (operation, operands) {
            (spirv::TYPE_INT | spirv::TYPE_FLOAT, [id, bits, ..]) => (id, *bits as usize / 8),
            (spirv::TYPE_VECTOR, [id, element, count]) => (id, self.size(*element).saturating_mul(*count as usize)),
            (spirv::TYPE_ARRAY, [id, element, count]) => {
                let count = self.constants.get(count).copied().unwrap_or(0);
                (id, self.size(*element).saturating_mul(count))
            }
            (spirv::TYPE_STRUCT, [id, members @ ..]) => {
                (id, members.iter().map(|member| self.size(*member)).fold(0, usize::saturating_add))
            }
            (spirv::TYPE_POINTER, [id, _, target]) => (id, self.size(*target)),
            (spirv::CONSTANT, [_, id, value, ..]) => {
                self.constants.insert(*id, *value as usize);
                return;
            }
            _ => return,
        };
        self.sizes.insert(*id, bytes);
    }
}

fn words(name: &str, bytes: &[u8]) -> Result<Vec<u32>> {
    ash::util::read_spv(&mut Cursor::new(bytes))
        .map_err(|error| Error::Device(format!("the module of kernel {name} is damaged: {error}")))
}

/// Each instruction's operation and operands; a module that is cut short ends there.
fn instructions(code: &[u32]) -> impl Iterator<Item = (u32, &[u32])> {
    let mut rest = code.get(spirv::HEADER..).unwrap_or_default();
    std::iter::from_fn(move || {
        let first = *rest.first()?;
        let (instruction, after) = rest.split_at_checked((first >> 16) as usize)?;
        rest = after;
        Some((first & 0xffff, instruction.get(1..)?))
    })
}

/// Text as SPIR-V writes it, four bytes to a word, up to a zero byte.
fn text(words: &[u32]) -> String {
    let bytes = words.iter().flat_map(|word| word.to_le_bytes()).take_while(|&byte| byte != 0);
    String::from_utf8_lossy(&bytes.collect::<Vec<_>>()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenkeel_kernels::{launch::Launch, primitive::reduce::ReduceAdd};

    fn kernel() -> &'static Kernel {
        // SAFETY: a buffer without elements needs no memory.
        let buffer = unsafe { evenkeel_kernels::launch::Buffer::<u32>::from_raw(std::sync::Arc::new(()), 0) };
        ReduceAdd { input: &buffer, result: &buffer }.kernel()
    }

    #[test]
    fn a_module_says_what_its_kernel_declares() {
        let kernel = kernel();
        let [declared, read] = [Module::of(kernel).unwrap(), Module::read("a file", kernel.spirv).unwrap()];
        assert_eq!((&read.name, read.threads, read.buffers), (&declared.name, declared.threads, declared.buffers));
        assert_eq!((read.params_bytes, read.workgroup_bytes), (declared.params_bytes, declared.workgroup_bytes));
        assert_eq!(read.code, declared.code);
        // Shader, and the memory model that every kernel is written for.
        assert!(read.capabilities().any(|it| it == 1) && read.capabilities().any(|it| it == 5345));
    }

    #[test]
    fn what_is_no_module_is_refused_by_name() {
        let spirv = kernel().spirv;
        for bytes in [b"not a module".as_slice(), &[], &spirv[..20]] {
            assert!(Module::read("x.spv", bytes).unwrap_err().to_string().contains("x.spv"));
        }
        for end in (20..spirv.len()).step_by(4) {
            // Cut short anywhere, it is read as far as it goes.
            let _ = Module::read("x.spv", &spirv[..end]);
        }
    }
}
