// SPDX-License-Identifier: Apache-2.0
//! A search index as a kbase plugin, in Rust with tantivy. This file contains the function table for C. The instance is
//! in `index`, writing in `batch`, searching in `query` and `search`.

mod batch;
mod boundary;
mod excerpt;
mod index;
mod kbase;
mod query;
mod schema;
mod search;
mod search_index;
mod settings;
mod views;
mod words;

use batch::Batch;
use boundary::{catch_panics, guarded, probe_memory, slice, text, view, Failure};
use index::SearchIndex;
use kbase::{Call, Host, Status, View, OK};
use search::Search;
use search_index::{CorrectionSink, HitSink, IndexState, Item, SearchAnswer, SearchRequest, ViewCount};
use std::ffi::{c_void, CStr};
use std::mem::size_of;
use std::os::raw::c_char;

/// Upper bound of the memory of an instance before its first search.
const INSTANCE_BYTES: usize = 4 << 20;

// An instance is shared between threads; a batch is used by one thread at a time.

unsafe extern "C" fn create(_: *const Host, call: *mut Call, config: View, instance: *mut *mut SearchIndex) -> Status {
    // Standard error belongs to the server; panic messages are reported with explain. (This sets the hook of the
    // plugin's own copy of std.)
    std::panic::set_hook(Box::new(|_| {}));
    guarded(call, |_| {
        probe_memory(INSTANCE_BYTES)?;
        let wrong = |name| Failure::of_setting(name, format!("{name} is missing, or the schema does not allow it"));
        let settings = settings::parse(&text(config)).map_err(wrong)?;
        *instance = Box::into_raw(Box::new(SearchIndex::open(settings)?));
        Ok(OK)
    })
}

unsafe extern "C" fn destroy(index: *mut SearchIndex) {
    catch_panics(|| drop(Box::from_raw(index)));
}

unsafe extern "C" fn health(index: *mut SearchIndex, call: *mut Call) -> Status {
    guarded(call, |_| (*index).whole_content().map(|_| OK))
}

unsafe extern "C" fn fingerprint(index: *mut SearchIndex) -> View {
    view(&(*index).fingerprint)
}

unsafe extern "C" fn search(
    index: *mut SearchIndex,
    call: *mut Call,
    request: *const SearchRequest,
    sink: HitSink,
    _: CorrectionSink, // unused: the table does not declare CAN_CORRECT
    data: *mut c_void,
    answer: *mut SearchAnswer,
) -> Status {
    guarded(call, |call| Search::begin(&*index, call, &*request)?.run(&mut *answer, |hit| sink(data, hit) == 0))
}

unsafe extern "C" fn state(index: *mut SearchIndex, call: *mut Call, out: *mut IndexState) -> Status {
    guarded(call, |_| {
        let content = (*index).content()?;
        (*out).complete = content.is_some().into();
        (*out).revision = content.as_ref().map_or(0, |content| content.commit.revision);
        (*out).views_revision = (*index).views().revision;
        (*out).documents = content.as_ref().map_or(0, |content| content.searcher.num_docs());
        (*out).lineage = content.map_or([0; 16], |content| content.commit.lineage);
        Ok(OK)
    })
}

unsafe extern "C" fn begin(
    index: *mut SearchIndex,
    call: *mut Call,
    build: i32,
    lineage: *const u8,
    batch: *mut *mut Batch,
) -> Status {
    guarded(call, |_| {
        let begun = Batch::begin(&*index, build == search_index::BUILD_REBUILD, *lineage.cast::<[u8; 16]>())?;
        *batch = Box::into_raw(Box::new(begun));
        Ok(OK)
    })
}

unsafe extern "C" fn set_views(
    index: *mut SearchIndex,
    call: *mut Call,
    totals: *const ViewCount,
    count: usize,
    revision: u64,
) -> Status {
    guarded(call, |_| {
        let totals = slice(totals, count).iter().map(|each| (text(each.item).into_owned(), each.views));
        (*index).set_views(totals, revision);
        Ok(OK)
    })
}

unsafe extern "C" fn verify(index: *mut SearchIndex, call: *mut Call) -> Status {
    guarded(call, |_| (*index).verify().map(|()| OK))
}

unsafe extern "C" fn put(batch: *mut Batch, call: *mut Call, items: *const *const Item, count: usize) -> Status {
    guarded(call, |call| (*batch).put(call, slice(items, count)).map(|()| OK))
}

unsafe extern "C" fn remove(batch: *mut Batch, call: *mut Call, id: View) -> Status {
    guarded(call, |_| {
        (*batch).remove(&text(id));
        Ok(OK)
    })
}

/// On a failure the batch remains, and the server aborts it.
unsafe extern "C" fn commit(batch: *mut Batch, call: *mut Call, revision: u64) -> Status {
    guarded(call, |_| {
        (*batch).commit(revision)?;
        abort(batch, call);
        Ok(OK)
    })
}

unsafe extern "C" fn abort(batch: *mut Batch, _call: *mut Call) {
    catch_panics(|| Box::from_raw(batch).end());
}

type Table = search_index::Table<SearchIndex, Batch>;

static TABLE: Table = Table {
    struct_size: size_of::<Table>() as u32,
    inline_calls: 0, // a search can open another process's commit, which takes longer than a page fault
    flags: 0,
    capabilities: search_index::SEARCH_INDEX_CAN_PERSIST
        | search_index::SEARCH_INDEX_CAN_STEM
        | search_index::SEARCH_INDEX_CAN_SEGMENT,
    config_schema: settings::SCHEMA.as_ptr().cast(),
    create,
    destroy,
    health,
    fingerprint,
    search,
    state,
    begin,
    set_views,
    verify,
    put,
    remove,
    commit,
    abort,
    complete: None,
};

unsafe extern "C" fn get_port(port_id: *const c_char) -> *const c_void {
    if CStr::from_ptr(port_id).to_bytes() == search_index::PORT {
        return (&TABLE as *const Table).cast();
    }
    std::ptr::null()
}

static PLUGIN: kbase::Plugin = kbase::Plugin {
    struct_size: size_of::<kbase::Plugin>() as u32,
    abi_major: kbase::ABI_MAJOR,
    abi_minor: kbase::ABI_MINOR,
    id: c"org.kbase.example.rust-tantivy".as_ptr(),
    version: c"1.0.0".as_ptr(),
    vendor: c"kbase".as_ptr(),
    license: c"Apache-2.0".as_ptr(),
    get_port,
};

/// The only exported symbol: a cdylib exports only marked functions.
#[no_mangle]
pub extern "C" fn kb_plugin_entry() -> *const kbase::Plugin {
    &PLUGIN
}
