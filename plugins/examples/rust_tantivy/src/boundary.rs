// SPDX-License-Identifier: Apache-2.0
//! Shared by all functions of the table: converts views to slices and strings, reports failures, catches panics, and
//! checks for cancellation and deadlines.

use crate::kbase::{self, Explanation, Status, View};
use std::borrow::Cow;
use std::io::{self, ErrorKind};
use std::mem::size_of;
use std::panic::{catch_unwind, AssertUnwindSafe};
use tantivy::directory::error::OpenReadError as ReadError;
use tantivy::TantivyError;

const RETRY_AFTER_MS: u32 = 1000;

/// Reason why a call returns a status other than OK.
#[derive(Debug)]
pub struct Failure {
    pub status: Status,
    pub message: Cow<'static, str>, // for the caller; a literal needs no memory
    pub detail: String,             // for the log
    pub parameter: &'static str,    // set with INVALID_ARGUMENT
}

pub type Outcome<T> = Result<T, Failure>;

impl Failure {
    pub fn new(status: Status, message: impl Into<Cow<'static, str>>, detail: impl Into<String>) -> Self {
        Failure { status, message: message.into(), detail: detail.into(), parameter: "" }
    }

    pub fn of_setting(parameter: &'static str, message: impl Into<Cow<'static, str>>) -> Self {
        Failure { parameter, ..Failure::new(kbase::INVALID_ARGUMENT, message, "") }
    }

    /// The files are damaged; only a rebuild helps.
    pub fn damage(detail: impl Into<String>) -> Self {
        Failure::new(kbase::CORRUPT, "The search index is damaged; rebuild it.", detail)
    }
}

impl From<TantivyError> for Failure {
    fn from(error: TantivyError) -> Self {
        use TantivyError::*;
        let detail = error.to_string();
        match error {
            IoError(cause) => io_failure(&cause, detail),
            OpenReadError(ReadError::IoError { io_error, .. }) => io_failure(&io_error, detail),
            OpenReadError(_)
            | OpenDirectoryError(_)
            | DataCorruption(_)
            | IncompatibleIndex(_)
            | DeserializeError(_)
            | FieldNotFound(_)
            | SchemaError(_) => Failure::damage(detail),
            _ => Failure::new(kbase::INTERNAL, "The search index failed.", detail),
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        io_failure(&error, error.to_string())
    }
}

fn io_failure(error: &io::Error, detail: String) -> Failure {
    match error.kind() {
        ErrorKind::UnexpectedEof | ErrorKind::InvalidData => Failure::damage(detail),
        _ => Failure::new(kbase::UNAVAILABLE, "The search index cannot be read or written.", detail),
    }
}

/// The call of the current function of the table.
pub struct Call(*mut kbase::Call);

// The host's functions can be called from any thread.
unsafe impl Send for Call {}
unsafe impl Sync for Call {}

impl Call {
    /// Fails if the call was cancelled or is past its deadline. Long loops call this at least every 10 ms.
    pub fn check(&self) -> Outcome<()> {
        // The call and its host are valid while the function runs.
        let (call, host) = unsafe { (&*self.0, &*(*self.0).host) };
        if unsafe { (host.cancelled)(call) } != 0 {
            return Err(Failure::new(kbase::CANCELLED, "The call was cancelled.", ""));
        }
        if call.deadline_ns != u64::MAX && unsafe { (host.monotonic_ns)(host) } > call.deadline_ns {
            return Err(Failure::new(kbase::DEADLINE, "The search index did not answer in time.", ""));
        }
        Ok(())
    }

    fn explain(&self, why: &Failure) {
        let explanation = Explanation {
            struct_size: size_of::<Explanation>() as u32,
            retry_after_ms: if why.status == kbase::UNAVAILABLE { RETRY_AFTER_MS } else { 0 },
            message: view(&why.message),
            detail: view(&why.detail),
            parameter: view(why.parameter),
        };
        unsafe { ((*(*self.0).host).explain)(self.0, &explanation) };
    }
}

/// Wraps every entry point that can fail: checks the call first, catches panics, and explains a failure before
/// returning it.
pub fn guarded(call: *mut kbase::Call, body: impl FnOnce(&Call) -> Outcome<Status>) -> Status {
    let call = Call(call);
    let outcome = catch_unwind(AssertUnwindSafe(|| call.check().and_then(|()| body(&call))));
    let outcome = outcome.unwrap_or_else(|panic| {
        let literal = panic.downcast_ref::<&str>().copied();
        let cause = panic.downcast_ref::<String>().map(String::as_str).or(literal).unwrap_or("");
        Err(Failure::new(kbase::INTERNAL, "The search index failed.", cause))
    });
    outcome.unwrap_or_else(|failure| {
        call.explain(&failure);
        failure.status
    })
}

/// For functions that never fail.
pub fn catch_panics(body: impl FnOnce()) {
    let _ = catch_unwind(AssertUnwindSafe(body));
}

/// Rust's collections abort the process when memory runs out. So an operation that needs much memory first tries to
/// allocate more than it needs, while it can still return an error.
pub fn probe_memory(bytes: usize) -> Outcome<()> {
    let mut probe = Vec::<u8>::new();
    probe.try_reserve_exact(bytes).map_err(|_| Failure::new(kbase::NO_MEMORY, "Out of memory.", ""))?;
    std::hint::black_box(&probe); // keeps the optimiser from removing the allocation
    Ok(())
}

/// Borrowed for the duration of the call. An empty array can have a null pointer, which a slice cannot.
pub unsafe fn slice<'a, T>(data: *const T, size: usize) -> &'a [T] {
    if size == 0 {
        return &[];
    }
    std::slice::from_raw_parts(data, size)
}

/// Borrowed if it is UTF-8, which the header guarantees.
pub unsafe fn text<'a>(view: View) -> Cow<'a, str> {
    String::from_utf8_lossy(slice(view.data.cast(), view.size))
}

pub fn view(text: &str) -> View {
    View { data: text.as_ptr().cast(), size: text.len() }
}
