//! Tests that look behind the interface: the validation layer hears a planted mistake and every object is destroyed, the
//! pipeline cache survives its own corruption, barriers are really written.

use super::{
    Buffer, Failed, Instance, VulkanDevice,
    barriers::barrier,
    lock,
    physical::{self, Physical, Purpose},
    pipeline_cache::PipelineCache,
    submit::Commands,
};
use crate::device::{Backend, DeviceOptions, Size, Step};
use ash::vk;
use evenkeel_kernels::{launch::Launch, primitive::reduce::ReduceAdd};
use std::{fs, path::Path, sync::Arc};

/// The Vulkan device of the tests, unless there is none here.
fn open(validation: bool, cache_folder: Option<&Path>) -> Option<VulkanDevice> {
    let named = std::env::var("EVENKEEL_TEST_DEVICE").ok().filter(|name| name != "cpu");
    let options = DeviceOptions { validation, ..DeviceOptions::default() };
    match VulkanDevice::open(named.as_deref().unwrap_or("0"), &options, cache_folder, Purpose::Run) {
        Ok(device) => Some(device),
        Err(error) if named.is_some() || std::env::var_os("EVENKEEL_REQUIRE_VULKAN").is_some() => {
            panic!("{}", error.reason)
        }
        Err(error) => {
            println!("skipped: {}", error.reason);
            None
        }
    }
}

/// As [`open`], with the validation layer, unless that is not installed.
fn open_validated() -> Option<VulkanDevice> {
    let device = open(true, None)?;
    if !device.context.device.instance.validates() {
        println!("skipped: the validation layer is not installed");
        return None;
    }
    Some(device)
}

fn sum(device: &VulkanDevice, words: &[u32]) -> u32 {
    let (input, result) = (device.allocate("input", words.len() as u64 * 4), device.allocate("result", 4));
    let (input, result) = (input.unwrap(), result.unwrap());
    device.upload(&input, 0, bytemuck::cast_slice(words)).unwrap();
    // SAFETY: the buffers are as long.
    let typed =
        |raw: &evenkeel_kernels::launch::RawBuffer, len| unsafe { crate::device::Buffer::from_raw(raw.clone(), len) };
    let kernel = ReduceAdd { input: &typed(&input, words.len()), result: &typed(&result, 1) }.kernel();
    let steps = vec![
        Step::Fill { buffer: result.clone(), value: 0 },
        Step::Dispatch {
            kernel,
            buffers: vec![input, result.clone()],
            params: (words.len() as u32).to_ne_bytes().to_vec(),
            size: Size::Groups(2),
        },
        Step::ReadBack { buffer: result, bytes: 4 },
    ];
    let mut recording = device.record("sum", steps).unwrap();
    recording.run().unwrap();
    bytemuck::pod_read_unaligned(recording.read_back(0))
}

#[test]
fn the_layer_hears_a_planted_mistake_and_the_next_call_fails_with_it() {
    let Some(device) = open_validated() else { return };
    let buffer = Buffer::on_device(&device.context, "short", 16).unwrap();
    let mut commands = Commands::new(&device.context, "mistake").unwrap();
    let region = [vk::BufferCopy { src_offset: 0, dst_offset: 8, size: 4096 }];
    let recorded = commands.record(true, |commands| {
        // SAFETY: reaching past the end is the mistake; the commands are never submitted.
        unsafe { device.context.vk().cmd_copy_buffer(commands, buffer.handle, buffer.handle, &region) };
    });
    // The layer may also keep the driver from seeing it; either way its message is kept.
    drop(recorded);
    assert!(!device.validation_messages().is_empty());
    let raw = device.allocate("next", 4).unwrap_err().to_string();
    assert!(raw.contains("validation layer complains"), "{raw}");
    device.allocate("the one after", 4).unwrap();
}

#[test]
fn a_read_back_has_what_was_there_at_its_place() {
    let Some(device) = open_validated() else { return };
    let [buffer, large] =
        [("words", 64), ("many words", 1 << 20)].map(|(name, bytes)| device.allocate(name, bytes).unwrap());
    let fill = |value| Step::Fill { buffer: buffer.clone(), value };
    let read = |bytes| Step::ReadBack { buffer: buffer.clone(), bytes };
    let of_large =
        || [Step::Fill { buffer: large.clone(), value: 9 }, Step::ReadBack { buffer: large.clone(), bytes: 8 }];
    let steps = [fill(7), read(20), fill(8), read(16), read(20)].into_iter().chain(of_large()).collect();
    let words = |bytes: &[u8]| bytes.as_chunks().0.iter().map(|word| u32::from_ne_bytes(*word)).collect::<Vec<_>>();
    let mut recording = device.record("moments", steps).unwrap();
    for _ in 0..2 {
        recording.run().unwrap();
        let words = [0, 1, 2, 3].map(|slot| words(recording.read_back(slot)));
        assert_eq!(words, [vec![7; 5], vec![8; 4], vec![8; 5], vec![9; 2]]);
    }
    // What another recording writes later is not seen.
    device.record("later", vec![fill(1)]).unwrap().run().unwrap();
    assert_eq!(words(recording.read_back(1)), [8; 4]);
    assert!(device.validation_messages().is_empty(), "{:?}", device.validation_messages());
}

#[test]
fn the_layer_hears_a_missing_barrier() {
    let Some(device) = open_validated() else { return };
    let buffers = [0, 1].map(|_| Buffer::on_device(&device.context, "words", 64).unwrap());
    let [first, second] = [&buffers[0], &buffers[1]].map(|buffer| buffer.handle);
    let copy = |waits: bool| {
        let mut commands = Commands::new(&device.context, "order").unwrap();
        let context = &device.context;
        let region = [vk::BufferCopy::default().size(64)];
        commands
            .record(true, |commands| {
                // SAFETY: the buffers are alive and the commands are never submitted.
                unsafe {
                    context.vk().cmd_fill_buffer(commands, first, 0, vk::WHOLE_SIZE, 7);
                    if waits {
                        barrier(context, commands, vk::PipelineStageFlags::TRANSFER, vk::PipelineStageFlags::TRANSFER);
                    }
                    context.vk().cmd_copy_buffer(commands, first, second, &region);
                }
            })
            .unwrap();
        device.validation_messages().len()
    };
    assert_eq!(copy(true), 0, "{:?}", device.validation_messages());
    assert_ne!(copy(false), 0);
}

#[test]
fn everything_made_is_destroyed() {
    let Some(device) = open_validated() else { return };
    assert_eq!(sum(&device, &[1, 2, 3]), 6);
    let instance: Arc<Instance> = device.context.device.instance.clone();
    drop(device);
    // Destroying a device with anything left of it is what the layer reports here.
    assert_eq!(*lock(&instance.messages), Vec::<String>::new());
}

#[test]
fn memory_is_given_back() {
    let Some(device) = open(false, None) else { return };
    let allocated = || lock(&device.context.allocator()).generate_report().total_allocated_bytes;
    let before = allocated();
    let buffer = device.allocate("large", 64 << 20).unwrap();
    assert!(allocated() >= before + (64 << 20));
    drop(buffer);
    assert_eq!(allocated(), before);
}

#[test]
fn a_buffer_of_another_device_is_refused() {
    let (Some(device), Some(other)) = (open(false, None), open(false, None)) else { return };
    let foreign = other.allocate("foreign", 4).unwrap();
    let message = device.upload(&foreign, 0, &[0; 4]).unwrap_err().to_string();
    assert!(message.contains("buffer of another device"), "{message}");
    let message = device.record("fill", vec![Step::Fill { buffer: foreign, value: 0 }]).err().unwrap().to_string();
    assert!(message.contains("buffer of another device"), "{message}");
}

#[test]
fn pipelines_are_kept_and_a_corrupt_file_is_made_anew() {
    let folder = tempfile::tempdir().unwrap();
    let Some(device) = open(false, Some(folder.path())) else { return };
    assert_eq!(sum(&device, &[4, 5]), 9);
    let context = device.context.clone();
    drop(device);

    let files: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    let [file] = files.as_slice() else { panic!("one file, not {files:?}") };
    let whole = fs::read(file).unwrap();
    let loaded = |bytes: &[u8]| {
        fs::write(file, bytes).unwrap();
        PipelineCache::new(&context, Some(folder.path())).unwrap().loaded()
    };
    assert!(loaded(&whole) > 0);
    let mut damaged = whole.clone();
    damaged[whole.len() / 2] ^= 0x10;
    assert_eq!(loaded(&damaged), 0);
    assert_eq!(loaded(b"not pipelines at all"), 0);
    drop(context);

    fs::write(file, &damaged).unwrap();
    let device = open(false, Some(folder.path())).unwrap();
    assert_eq!(sum(&device, &[6, 7]), 13);
    drop(device);
    assert_eq!(fs::read(file).unwrap().len(), whole.len(), "the file was made anew");
}

#[test]
fn errors_say_what_was_being_done_and_whose_business_it_is() {
    let error = |code: vk::Result| Err::<(), _>(code).failed("waiting for the device").unwrap_err();
    assert!(
        error(vk::Result::ERROR_DEVICE_LOST).to_string().starts_with("waiting for the device: the device was lost")
    );
    assert!(matches!(error(vk::Result::ERROR_OUT_OF_DEVICE_MEMORY), crate::Error::Memory(_)));
    assert!(matches!(error(vk::Result::ERROR_FEATURE_NOT_PRESENT), crate::Error::Device(_)));
}

#[test]
fn a_listed_device_knows_its_limits() {
    let Ok(instance) = Instance::new(false) else { return println!("skipped: no Vulkan loader") };
    let Ok(devices) = physical::all(&instance) else { return println!("skipped: no Vulkan device") };
    for (index, Physical { info, .. }) in devices.iter().enumerate() {
        assert_eq!(info.index, Some(index));
        assert!(!info.name.is_empty());
        assert!(info.max_buffer >= 1 << 27, "Vulkan promises buffers of 128 MiB: {info:?}");
        assert!((1..=65_535).contains(&info.max_groups));
        assert!(!info.missing.is_empty() || info.subgroup_size.is_power_of_two());
    }
}
