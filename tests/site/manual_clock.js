// SPDX-License-Identifier: Apache-2.0
// Clock that tests advance. Replaces the time and the timers of the page; must run before the page's scripts.
(() => {
  const start = Date.now();
  const timers = new Map();
  let now = start;
  let last = 0;

  const create_timer = (repeats) => (action, wait = 0, ...rest) => {
    timers.set(++last, { action: () => action(...rest), due: now + Number(wait), every: repeats ? Math.max(1, Number(wait)) : 0 });
    return last;
  };
  const stop = (timer) => timers.delete(timer);
  const earliest = () => [...timers].reduce((a, b) => (a === null || b[1].due < a[1].due ? b : a), null);

  Date.now = () => now;
  performance.now = () => now - start;
  Object.assign(window, { setTimeout: create_timer(false), setInterval: create_timer(true), clearTimeout: stop, clearInterval: stop });

  /** Runs all timers that are due within this time, in order. */
  window.advance = (milliseconds) => {
    const end = now + milliseconds;
    for (let next = earliest(); next !== null && next[1].due <= end; next = earliest()) {
      const [name, timer] = next;
      now = Math.max(now, timer.due);
      if (timer.every > 0) timer.due = now + timer.every;
      else timers.delete(name);
      timer.action();
    }
    now = end;
  };
})();
