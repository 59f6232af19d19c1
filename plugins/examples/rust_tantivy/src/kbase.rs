// SPDX-License-Identifier: Apache-2.0
//! `<kbase/base.h>` and `<kbase/plugin.h>` in Rust, translated by hand with the same names, order and types. The C headers
//! document the meaning.
#![allow(dead_code)]

use std::ffi::c_void;
use std::os::raw::c_char;

pub const ABI_MAJOR: u16 = 1;
pub const ABI_MINOR: u16 = 0;

pub type Status = i32;
pub const OK: Status = 0;
pub const NOT_FOUND: Status = 1;
pub const STOPPED: Status = 2;
pub const INVALID_ARGUMENT: Status = -1;
pub const CONFLICT: Status = -2;
pub const UNAVAILABLE: Status = -3;
pub const NO_MEMORY: Status = -4;
pub const DEADLINE: Status = -5;
pub const BAD_UPSTREAM: Status = -6;
pub const CANCELLED: Status = -7;
pub const UNSUPPORTED: Status = -8;
pub const GONE: Status = -9;
pub const CORRUPT: Status = -10;
pub const INTERNAL: Status = -11;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct View {
    pub data: *const c_char,
    pub size: usize,
}

#[repr(C)]
pub struct Explanation {
    pub struct_size: u32,
    pub retry_after_ms: u32,
    pub message: View,
    pub detail: View,
    pub parameter: View,
}

#[repr(C)]
pub struct Call {
    pub struct_size: u32,
    pub reserved: u32,
    pub deadline_ns: u64,
    pub trace_id: View,
    pub host: *const Host,
    pub host_data: *mut c_void,
    pub flags: u32, // since 1.1
    pub reserved2: u32,
}

#[repr(C)]
pub struct Host {
    pub struct_size: u32,
    pub abi_minor: u32,
    pub name: *const c_char,
    pub version: *const c_char,
    pub host_data: *mut c_void,
    pub log: unsafe extern "C" fn(*const Host, i32, View, View),
    pub explain: unsafe extern "C" fn(*mut Call, *const Explanation),
    pub cancelled: unsafe extern "C" fn(*const Call) -> i32,
    pub monotonic_ns: unsafe extern "C" fn(*const Host) -> u64,
    pub wall_ms: unsafe extern "C" fn(*const Host) -> i64,
    pub metric: unsafe extern "C" fn(*const Host, i32, View, View) -> u32,
    pub metric_add: unsafe extern "C" fn(*const Host, u32, i64),
    pub get_extension: unsafe extern "C" fn(*const Host, *const c_char) -> *const c_void,
}

#[repr(C)]
pub struct Plugin {
    pub struct_size: u32,
    pub abi_major: u16,
    pub abi_minor: u16,
    pub id: *const c_char,
    pub version: *const c_char,
    pub vendor: *const c_char,
    pub license: *const c_char,
    pub get_port: unsafe extern "C" fn(*const c_char) -> *const c_void,
}

/// An ELF note: name "kbase", then major version, minor version, lowest minor version of a server, 0.
#[repr(C, align(4))]
pub struct ElfNote {
    pub name_size: u32,
    pub descriptor_size: u32,
    pub kind: u32,
    pub name: [u8; 8],
    pub descriptor: [u32; 4],
}

#[link_section = ".note.kbase"]
#[used]
static NOTE: ElfNote = ElfNote {
    name_size: 6,
    descriptor_size: 16,
    kind: 1,
    name: *b"kbase\0\0\0",
    descriptor: [ABI_MAJOR as u32, ABI_MINOR as u32, ABI_MINOR as u32, 0],
};

/// Static immutable data is safe to read from any thread, even if it contains raw pointers.
unsafe impl Sync for Plugin {}
