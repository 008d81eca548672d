//! The loader and the instance: the door to every driver of the machine. With validation asked for, the Khronos layer watches
//! all calls, ordering between dispatches included, and what it says is kept.

use super::{
    Failed,
    calls::{Calls, alone},
    failure, lock,
};
use crate::{Error, Result, phase};
use ash::{ext, vk};
use std::{
    ffi::{CStr, c_void},
    sync::Mutex,
};

const VALIDATION_LAYER: &CStr = c"VK_LAYER_KHRONOS_validation";
/// The first validation layer whose book of labels several threads may write to; older ones crash, now and then.
const LABELS_FROM_MANY_THREADS: u32 = vk::make_api_version(0, 1, 3, 243);
const APPLICATION: &CStr = c"evenkeel";

const HOW_TO_GET_VULKAN: &str = "evenkeel needs a Vulkan loader and a driver: on Debian and Ubuntu `apt install libvulkan1 \
     mesa-vulkan-drivers` (which has a software device too), on Fedora `dnf install vulkan-loader mesa-vulkan-drivers`, on \
     Windows and for NVIDIA the graphics driver brings both";

type Messages = Mutex<Vec<String>>;

/// The instance, destroyed when nothing needs it any more.
pub(super) struct Instance {
    pub(super) handle: ash::Instance,
    /// The newest Vulkan version that both the loader and this program speak.
    pub(super) api_version: u32,
    pub(super) debug_utils: bool,
    /// Whether groups of commands can be named, too.
    pub(super) labels: bool,
    /// What the validation layer has said so far, oldest first.
    pub(super) messages: Box<Messages>,
    messenger: Option<(ext::debug_utils::Instance, vk::DebugUtilsMessengerEXT)>,
    // The loader's library stays open for as long as anything of it is called.
    _entry: ash::Entry,
}

impl Instance {
    /// Opens the loader; `validation` loads the Khronos layer if it is installed and says so when it is not.
    pub(super) fn new(validation: bool) -> Result<Self> {
        // SAFETY: the library that is loaded is the system's Vulkan loader, whose initialisation is sound.
        let entry = phase::during("loading Vulkan", || unsafe { ash::Entry::load() })
            .map_err(|error| Error::Device(format!("there is no Vulkan loader here ({error}); {HOW_TO_GET_VULKAN}")))?;
        let api_version = api_version(&entry)?;
        let layer_version = if validation { layer_version(&entry)? } else { None };
        let layer = layer_version.is_some();
        let checks_order = layer && layer_checks_order(&entry)?;
        // Every loader of the last years can name things: asking would only make it look at all drivers once more.
        let (handle, debug_utils) = match create(&entry, api_version, layer, true, checks_order) {
            Err(vk::Result::ERROR_EXTENSION_NOT_PRESENT) => {
                (create(&entry, api_version, layer, false, checks_order), false)
            }
            created => (created, true),
        };
        let handle = handle.map_err(|error| match error {
            vk::Result::ERROR_INCOMPATIBLE_DRIVER => no_driver(),
            error => failure("creating the Vulkan instance", error),
        })?;
        let messages = Box::<Messages>::default();
        let labels = debug_utils && layer_version.is_none_or(|version| version >= LABELS_FROM_MANY_THREADS);
        let mut instance = Self { handle, api_version, debug_utils, labels, messages, messenger: None, _entry: entry };
        if layer && debug_utils {
            instance.messenger = Some(instance.listen()?);
        }
        Ok(instance)
    }

    /// What makes calls for this instance, or for a device of it.
    pub(super) fn calls<'c, F>(&self, functions: &'c F) -> Calls<'c, F> {
        Calls::new(functions, self.validates())
    }

    /// All physical devices, in the loader's order, asked for [`alone`].
    pub(super) fn physical_devices(&self) -> Result<Vec<vk::PhysicalDevice>> {
        // SAFETY: the instance is alive.
        let devices = unsafe { self.handle.enumerate_physical_devices() }.failed("listing the devices")?;
        if devices.is_empty() { Err(no_driver()) } else { Ok(devices) }
    }

    /// Whether the validation layer is loaded and heard.
    pub(super) fn validates(&self) -> bool {
        self.messenger.is_some()
    }

    fn listen(&self) -> Result<(ext::debug_utils::Instance, vk::DebugUtilsMessengerEXT)> {
        let _alone = alone();
        let loader = ext::debug_utils::Instance::new(&self._entry, &self.handle);
        let info = vk::DebugUtilsMessengerCreateInfoEXT::default()
            .message_severity(
                vk::DebugUtilsMessageSeverityFlagsEXT::WARNING | vk::DebugUtilsMessageSeverityFlagsEXT::ERROR,
            )
            .message_type(vk::DebugUtilsMessageTypeFlagsEXT::VALIDATION)
            .pfn_user_callback(Some(hear))
            .user_data(std::ptr::from_ref::<Messages>(&self.messages).cast_mut().cast());
        // SAFETY: the messages are boxed and outlive the messenger, which `drop` destroys first.
        let messenger =
            unsafe { loader.create_debug_utils_messenger(&info, None) }.failed("listening to the validation layer")?;
        Ok((loader, messenger))
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        let _alone = alone();
        // SAFETY: whatever was made from the instance holds a reference to it and is gone by now.
        unsafe {
            if let Some((loader, messenger)) = self.messenger.take() {
                loader.destroy_debug_utils_messenger(messenger, None);
            }
            self.handle.destroy_instance(None);
        }
    }
}

fn no_driver() -> Error {
    Error::Device(format!("there is a Vulkan loader but no driver; {HOW_TO_GET_VULKAN}"))
}

fn api_version(entry: &ash::Entry) -> Result<u32> {
    // SAFETY: asking for the version needs nothing but the loader.
    let loader = unsafe { entry.try_enumerate_instance_version() }
        .failed("asking the Vulkan loader for its version")?
        .unwrap_or(vk::API_VERSION_1_0);
    if loader < vk::API_VERSION_1_2 {
        let (major, minor) = (vk::api_version_major(loader), vk::api_version_minor(loader));
        return Err(Error::Device(format!("the Vulkan loader speaks {major}.{minor}, evenkeel needs 1.2 or newer")));
    }
    Ok(loader.min(vk::API_VERSION_1_3))
}

/// The version of the validation layer, if it is installed; a warning says when it is not.
fn layer_version(entry: &ash::Entry) -> Result<Option<u32>> {
    // SAFETY: listing layers needs nothing but the loader.
    let layers = unsafe { entry.enumerate_instance_layer_properties() }.failed("listing the Vulkan layers")?;
    let layer = layers.iter().find(|layer| layer.layer_name_as_c_str() == Ok(VALIDATION_LAYER));
    if layer.is_none() {
        tracing::warn!("the Vulkan validation layer (vulkan-validationlayers) is not installed: running without it");
    }
    Ok(layer.map(|layer| layer.spec_version))
}

/// Whether the validation layer can check the order of dispatches.
fn layer_checks_order(entry: &ash::Entry) -> Result<bool> {
    // SAFETY: listing extensions needs nothing but the loader.
    let extensions = unsafe { entry.enumerate_instance_extension_properties(Some(VALIDATION_LAYER)) }
        .failed("listing the validation layer's extensions")?;
    let name = Ok(ext::validation_features::NAME);
    Ok(extensions.iter().any(|extension| extension.extension_name_as_c_str() == name))
}

fn create(
    entry: &ash::Entry,
    version: u32,
    layer: bool,
    names: bool,
    checks_order: bool,
) -> ash::prelude::VkResult<ash::Instance> {
    let application = vk::ApplicationInfo::default().application_name(APPLICATION).api_version(version);
    let layers: Vec<_> = layer.then_some(VALIDATION_LAYER.as_ptr()).into_iter().collect();
    let mut extensions: Vec<_> = names.then_some(ext::debug_utils::NAME.as_ptr()).into_iter().collect();
    let mut features = vk::ValidationFeaturesEXT::default()
        .enabled_validation_features(&[vk::ValidationFeatureEnableEXT::SYNCHRONIZATION_VALIDATION]);
    let mut info = vk::InstanceCreateInfo::default().application_info(&application).enabled_layer_names(&layers);
    if checks_order {
        extensions.push(ext::validation_features::NAME.as_ptr());
        info = info.push_next(&mut features);
    }
    let _alone = alone();
    // SAFETY: the names and structures live until the call returns.
    unsafe { entry.create_instance(&info.enabled_extension_names(&extensions), None) }
}

/// Called by the validation layer, from whichever thread made the call that it complains of.
unsafe extern "system" fn hear(
    _severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    _kind: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    messages: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: the layer hands over a valid structure for the time of the call, and the pointer that `listen` gave it.
    let (text, messages) = unsafe { ((*data).message_as_c_str(), &*messages.cast::<Messages>()) };
    if let Some(text) = text {
        let text = text.to_string_lossy().into_owned();
        tracing::error!("Vulkan validation: {text}");
        lock(messages).push(text);
    }
    vk::FALSE
}
