// SPDX-License-Identifier: Apache-2.0
//! An LRU cache bounded in bytes: beyond the limit the least recently used values are evicted. Independent of clocks,
//! threads and C; the caller passes the time.

use std::collections::{BTreeMap, HashMap, TryReserveError};
use std::sync::Arc;

/// Memory of an entry in addition to its key and value: two map nodes and the headers of two allocations.
const ENTRY_BYTES: usize = 192;

struct Entry {
    value: Arc<[u8]>,
    expires_ns: u64,
    last_use: u64,
}

pub struct Lru {
    max_bytes: usize,
    bytes: usize,
    uses: u64, // number of gets and puts; numbers each use
    entries: HashMap<Arc<[u8]>, Entry>,
    by_last_use: BTreeMap<u64, Arc<[u8]>>,
}

impl Lru {
    pub fn new(max_bytes: usize) -> Self {
        Lru { max_bytes, bytes: 0, uses: 0, entries: HashMap::new(), by_last_use: BTreeMap::new() }
    }

    /// Returns a shared reference to the value, so that it can be used after the lock is released and the entry is
    /// evicted.
    pub fn get(&mut self, key: &[u8], now_ns: u64) -> Option<Arc<[u8]>> {
        if self.entries.get(key)?.expires_ns <= now_ns {
            self.erase(key);
            return None;
        }
        self.uses += 1;
        let entry = self.entries.get_mut(key)?;
        let name = self.by_last_use.remove(&entry.last_use)?;
        entry.last_use = self.uses;
        self.by_last_use.insert(self.uses, name);
        Some(entry.value.clone())
    }

    /// Stores a value. A value larger than the whole cache is not stored; the previous value of its key is removed
    /// anyway.
    pub fn put(&mut self, key: &[u8], value: &[u8], expires_ns: u64) -> Result<(), TryReserveError> {
        self.erase(key);
        let bytes = cost(key, value);
        if bytes > self.max_bytes {
            return Ok(());
        }
        let (key, value) = (copied(key)?, copied(value)?);
        self.entries.try_reserve(1)?;
        while self.bytes + bytes > self.max_bytes {
            match self.by_last_use.values().next().cloned() {
                Some(oldest) => self.erase(&oldest),
                None => break,
            }
        }
        self.uses += 1;
        self.bytes += bytes;
        self.by_last_use.insert(self.uses, key.clone());
        self.entries.insert(key, Entry { value, expires_ns, last_use: self.uses });
        Ok(())
    }

    pub fn erase(&mut self, key: &[u8]) {
        if let Some(entry) = self.entries.remove(key) {
            self.bytes -= cost(key, &entry.value);
            self.by_last_use.remove(&entry.last_use);
        }
    }
}

fn cost(key: &[u8], value: &[u8]) -> usize {
    ENTRY_BYTES + key.len() + value.len()
}

/// Copies bytes, or returns an error if there is no memory. (The small allocations of a map abort the process instead.)
fn copied(bytes: &[u8]) -> Result<Arc<[u8]>, TryReserveError> {
    let mut copy = Vec::new();
    copy.try_reserve_exact(bytes.len())?;
    copy.extend_from_slice(bytes);
    Ok(copy.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value_of(lru: &mut Lru, key: &str, now_ns: u64) -> Option<String> {
        lru.get(key.as_bytes(), now_ns).map(|value| String::from_utf8_lossy(&value).into_owned())
    }

    #[test]
    fn returns_what_was_put_until_it_expires() {
        let mut lru = Lru::new(10_000);
        lru.put(b"a", b"apple", 100).unwrap();
        assert_eq!(value_of(&mut lru, "a", 99).as_deref(), Some("apple"));
        assert_eq!(value_of(&mut lru, "a", 100), None);
        assert_eq!(lru.bytes, 0);
    }

    #[test]
    fn forgets_what_was_used_longest_ago() {
        let mut lru = Lru::new(2 * cost(b"a", b"1"));
        lru.put(b"a", b"1", u64::MAX).unwrap();
        lru.put(b"b", b"2", u64::MAX).unwrap();
        value_of(&mut lru, "a", 0);
        lru.put(b"c", b"3", u64::MAX).unwrap();
        assert_eq!(value_of(&mut lru, "b", 0), None);
        assert_eq!(value_of(&mut lru, "a", 0).as_deref(), Some("1"));
        assert_eq!(value_of(&mut lru, "c", 0).as_deref(), Some("3"));
    }

    #[test]
    fn a_value_that_is_too_large_leaves_nothing_of_its_key() {
        let mut lru = Lru::new(1000);
        lru.put(b"a", b"small", u64::MAX).unwrap();
        lru.put(b"a", &[0; 2000], u64::MAX).unwrap();
        assert_eq!(value_of(&mut lru, "a", 0), None);
    }
}
