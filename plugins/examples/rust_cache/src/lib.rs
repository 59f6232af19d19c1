// SPDX-License-Identifier: Apache-2.0
//! A cache as a kbase plugin, in Rust without crates. This file is the boundary: it converts views to slices, catches
//! every panic, and exports one symbol. The cache itself is in `lru`.

mod cache;
mod kbase;
mod lru;
mod settings;

use cache::ValueSink;
use kbase::{Call, Explanation, Host, Status, View};
use lru::Lru;
use std::ffi::{c_void, CStr};
use std::mem::size_of;
use std::os::raw::c_char;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::{Mutex, MutexGuard};

struct Cache {
    host: *const Host,
    lru: Mutex<Lru>,
}

impl Cache {
    /// A panic with the lock held can leave an incomplete change, and poisons the lock. After that each call, including
    /// health, panics here and fails, and the server continues without a cache.
    fn lock(&self) -> MutexGuard<'_, Lru> {
        self.lru.lock().expect("an earlier panic left the cache in an unknown state")
    }

    fn now_ns(&self) -> u64 {
        // The host outlives its instances.
        unsafe { ((*self.host).monotonic_ns)(self.host) }
    }
}

// The host may be called from any thread.
unsafe impl Send for Cache {}
unsafe impl Sync for Cache {}

/// Borrowed for the duration of the call. An empty view can have a null pointer, which a slice cannot.
unsafe fn bytes<'a>(view: View) -> &'a [u8] {
    if view.size == 0 {
        return &[];
    }
    std::slice::from_raw_parts(view.data.cast(), view.size)
}

fn view(text: &str) -> View {
    View { data: text.as_ptr().cast(), size: text.len() }
}

/// Reports a failure: the message is for the caller, the detail for the log.
unsafe fn explained(call: *mut Call, status: Status, message: &str, detail: &str) -> Status {
    let why = Explanation {
        struct_size: size_of::<Explanation>() as u32,
        retry_after_ms: 0,
        message: view(message),
        detail: view(detail),
        parameter: view(if status == kbase::INVALID_ARGUMENT { settings::MAX_BYTES } else { "" }),
    };
    ((*(*call).host).explain)(call, &why);
    status
}

/// Wraps every entry point, so that no panic leaves the plugin.
unsafe fn guarded(call: *mut Call, body: impl FnOnce() -> Status) -> Status {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|panic| {
        let literal = panic.downcast_ref::<&str>().copied();
        let cause = panic.downcast_ref::<String>().map(String::as_str).or(literal).unwrap_or("");
        explained(call, kbase::INTERNAL, "the cache failed", cause)
    })
}

unsafe extern "C" fn create(host: *const Host, call: *mut Call, config: View, instance: *mut *mut Cache) -> Status {
    // Standard error belongs to the server; panic messages are reported with explain. (This sets the hook of the
    // plugin's own copy of std.)
    std::panic::set_hook(Box::new(|_| {}));
    guarded(call, || match std::str::from_utf8(bytes(config)).ok().and_then(settings::max_bytes) {
        Some(max_bytes) => {
            *instance = Box::into_raw(Box::new(Cache { host, lru: Mutex::new(Lru::new(max_bytes)) }));
            kbase::OK
        }
        None => {
            let message = "must be a whole number of bytes from 1024 to 1099511627776";
            explained(call, kbase::INVALID_ARGUMENT, message, "max_bytes")
        }
    })
}

unsafe extern "C" fn destroy(cache: *mut Cache) {
    let _ = catch_unwind(AssertUnwindSafe(|| drop(Box::from_raw(cache))));
}

unsafe extern "C" fn health(cache: *mut Cache, call: *mut Call) -> Status {
    guarded(call, || {
        drop((*cache).lock());
        kbase::OK
    })
}

unsafe extern "C" fn get(cache: *mut Cache, call: *mut Call, key: View, sink: ValueSink, data: *mut c_void) -> Status {
    guarded(call, || {
        let now_ns = (*cache).now_ns();
        let found = (*cache).lock().get(bytes(key), now_ns); // the lock is released before the sink is called
        match found {
            Some(value) => {
                sink(data, View { data: value.as_ptr().cast(), size: value.len() });
                kbase::OK
            }
            None => kbase::NOT_FOUND,
        }
    })
}

unsafe extern "C" fn put(cache: *mut Cache, call: *mut Call, key: View, value: View, time_to_live_ms: u64) -> Status {
    guarded(call, || {
        let expires_ns = (*cache).now_ns().saturating_add(time_to_live_ms.saturating_mul(1_000_000));
        let kept = (*cache).lock().put(bytes(key), bytes(value), expires_ns);
        kept.map_or_else(|_| explained(call, kbase::NO_MEMORY, "out of memory", ""), |()| kbase::OK)
    })
}

unsafe extern "C" fn erase(cache: *mut Cache, call: *mut Call, key: View) -> Status {
    guarded(call, || {
        (*cache).lock().erase(bytes(key));
        kbase::OK
    })
}

static TABLE: cache::Table<Cache> = cache::Table {
    struct_size: size_of::<cache::Table<Cache>>() as u32,
    inline_calls: cache::CACHE_INLINE_CALLS,
    flags: 0,
    capabilities: 0,
    config_schema: settings::SCHEMA.as_ptr().cast(),
    create,
    destroy,
    health,
    get,
    put,
    erase,
};

unsafe extern "C" fn get_port(port_id: *const c_char) -> *const c_void {
    if CStr::from_ptr(port_id).to_bytes() == cache::PORT {
        return (&TABLE as *const cache::Table<Cache>).cast();
    }
    std::ptr::null()
}

static PLUGIN: kbase::Plugin = kbase::Plugin {
    struct_size: size_of::<kbase::Plugin>() as u32,
    abi_major: kbase::ABI_MAJOR,
    abi_minor: kbase::ABI_MINOR,
    id: b"org.kbase.example.rust-cache\0".as_ptr().cast(),
    version: b"1.0.0\0".as_ptr().cast(),
    vendor: b"kbase\0".as_ptr().cast(),
    license: b"Apache-2.0\0".as_ptr().cast(),
    get_port,
};

/// The only exported symbol: a cdylib exports only marked functions.
#[no_mangle]
pub extern "C" fn kb_plugin_entry() -> *const kbase::Plugin {
    &PLUGIN
}
