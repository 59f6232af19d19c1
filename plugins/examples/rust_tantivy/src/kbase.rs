// SPDX-License-Identifier: Apache-2.0
//! The part of `<kbase/plugin.h>` that a search index needs, translated by hand with the same names, order and types.
//! The C header documents the meaning.
#![allow(dead_code)]

use std::ffi::c_void;
use std::os::raw::c_char;

pub const ABI_MAJOR: u16 = 1;
pub const ABI_MINOR: u16 = 0;

pub type Status = i32;
pub const OK: Status = 0;
pub const STOPPED: Status = 2;
pub const INVALID_ARGUMENT: Status = -1;
pub const CONFLICT: Status = -2;
pub const UNAVAILABLE: Status = -3;
pub const NO_MEMORY: Status = -4;
pub const DEADLINE: Status = -5;
pub const CANCELLED: Status = -7;
pub const UNSUPPORTED: Status = -8;
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

#[repr(C)]
pub struct Item {
    pub struct_size: u32,
    pub reserved: u32,
    pub id: View,
    pub title: View,
    pub category: View,
    pub lead: View,
    pub tags: *const View,
    pub tag_count: usize,
    pub author: View,
    pub created_day: i32,
    pub updated_day: i32,
    pub views: u64,
    pub further: View,
    pub revision: u64,
    pub content: View,
    pub related: *const View,
    pub related_count: usize,
}

#[repr(C)]
pub struct ViewCount {
    pub item: View,
    pub views: u64,
    pub day: i32,
    pub reserved: i32,
}

pub const PORT_SEARCH_INDEX: &[u8] = b"kbase.search_index/1";
pub const CAN_PERSIST: u32 = 1;
pub const CAN_STEM: u32 = 2;
pub const CAN_SEGMENT: u32 = 4;

pub const QUERY_ALL_OF: i32 = 0;
pub const QUERY_ANY_OF: i32 = 1;
pub const QUERY_NOT: i32 = 2;
pub const QUERY_WORD: i32 = 3;
pub const QUERY_PREFIX: i32 = 4;
pub const QUERY_PHRASE: i32 = 5;

#[repr(C)]
pub struct QueryNode {
    pub struct_size: u32,
    pub kind: i32,
    pub text: View,
    pub first_child: *const QueryNode,
    pub next: *const QueryNode,
}

pub const SORT_RELEVANCE: i32 = 0;
pub const SORT_DATE: i32 = 1;
pub const SORT_POPULARITY: i32 = 2;

#[repr(C)]
pub struct SearchRequest {
    pub struct_size: u32,
    pub sort: i32,
    pub query: *const QueryNode,
    pub category: *const View,
    pub offset: u64,
    pub limit: u64,
    pub fallback_below: u64,
    pub tag: *const View,
    pub updated_from: *const i32,
    pub updated_to: *const i32,
    pub wants: u32,
    pub reserved: u32,
    pub facet: FacetSink,
}

#[repr(C)]
pub struct Mark {
    pub begin: u32,
    pub end: u32,
}

#[repr(C)]
pub struct Hit {
    pub struct_size: u32,
    pub reserved: u32,
    pub relevance: f64,
    pub id: View,
    pub title: View,
    pub category: View,
    pub excerpt: View,
    pub title_marks: *const Mark,
    pub title_mark_count: usize,
    pub excerpt_marks: *const Mark,
    pub excerpt_mark_count: usize,
}

#[repr(C)]
pub struct SearchAnswer {
    pub struct_size: u32,
    pub any_word: u32,
    pub total: u64,
    pub revision: u64,
    pub views_revision: u64,
    pub lineage: [u8; 16],
}

#[repr(C)]
pub struct IndexState {
    pub struct_size: u32,
    pub complete: u32,
    pub revision: u64,
    pub views_revision: u64,
    pub documents: u64,
    pub lineage: [u8; 16],
}

pub type HitSink = unsafe extern "C" fn(*mut c_void, *const Hit) -> i32;
pub type CorrectionSink = unsafe extern "C" fn(*mut c_void, View, View);
pub type FacetSink = Option<unsafe extern "C" fn(*mut c_void, i32, View, u64)>;
pub type WordSink = unsafe extern "C" fn(*mut c_void, View, u64) -> i32;

pub const BUILD_UPDATE: i32 = 0;
pub const BUILD_REBUILD: i32 = 1;

/// `kb_search_index_v1` for instances of type `T` with batches of type `W`, which C sees only as pointers.
#[repr(C)]
pub struct SearchIndexTable<T, W> {
    pub struct_size: u32,
    pub inline_calls: u32,
    pub flags: u32,
    pub capabilities: u32,
    pub config_schema: *const c_char,
    pub create: unsafe extern "C" fn(*const Host, *mut Call, View, *mut *mut T) -> Status,
    pub destroy: unsafe extern "C" fn(*mut T),
    pub health: unsafe extern "C" fn(*mut T, *mut Call) -> Status,
    pub fingerprint: unsafe extern "C" fn(*mut T) -> View,
    pub search: unsafe extern "C" fn(
        *mut T,
        *mut Call,
        *const SearchRequest,
        HitSink,
        CorrectionSink,
        *mut c_void,
        *mut SearchAnswer,
    ) -> Status,
    pub state: unsafe extern "C" fn(*mut T, *mut Call, *mut IndexState) -> Status,
    pub begin: unsafe extern "C" fn(*mut T, *mut Call, i32, *const u8, *mut *mut W) -> Status,
    pub set_views: unsafe extern "C" fn(*mut T, *mut Call, *const ViewCount, usize, u64) -> Status,
    pub verify: unsafe extern "C" fn(*mut T, *mut Call) -> Status,
    pub put: unsafe extern "C" fn(*mut W, *mut Call, *const *const Item, usize) -> Status,
    pub remove: unsafe extern "C" fn(*mut W, *mut Call, View) -> Status,
    pub commit: unsafe extern "C" fn(*mut W, *mut Call, u64) -> Status,
    pub abort: unsafe extern "C" fn(*mut W, *mut Call),
    pub complete: Option<unsafe extern "C" fn(*mut T, *mut Call, View, u64, WordSink, *mut c_void) -> Status>,
}

/// Static immutable data is safe to read from any thread, even if it contains raw pointers.
unsafe impl Sync for Plugin {}
unsafe impl<T, W> Sync for SearchIndexTable<T, W> {}
