// SPDX-License-Identifier: Apache-2.0
// A clock that tests move: the time of day and the timers of the page whose scripts run after this one.
(() => {
  const begun = Date.now();
  const timers = new Map();
  let now = begun;
  let last = 0;

  const starts = (repeats) => (act, wait = 0, ...rest) => {
    timers.set(++last, { act: () => act(...rest), due: now + Number(wait), every: repeats ? Math.max(1, Number(wait)) : 0 });
    return last;
  };
  const stop = (timer) => timers.delete(timer);
  const earliest = () => [...timers].reduce((a, b) => (a === null || b[1].due < a[1].due ? b : a), null);

  Date.now = () => now;
  performance.now = () => now - begun;
  Object.assign(window, { setTimeout: starts(false), setInterval: starts(true), clearTimeout: stop, clearInterval: stop });

  /** Everything that is due within so many milliseconds is done, in its order. */
  window.advance = (milliseconds) => {
    const end = now + milliseconds;
    for (let next = earliest(); next !== null && next[1].due <= end; next = earliest()) {
      const [name, timer] = next;
      now = Math.max(now, timer.due);
      if (timer.every > 0) timer.due = now + timer.every;
      else timers.delete(name);
      timer.act();
    }
    now = end;
  };
})();
