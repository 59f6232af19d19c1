// SPDX-License-Identifier: Apache-2.0
// Formats numbers, days and durations. The page's language is English, so the number format is too.

const kNumber = new Intl.NumberFormat("en");
const kDay = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeZone: "UTC" });
const kShortDay = new Intl.DateTimeFormat("en", { month: "short", day: "numeric", timeZone: "UTC" });
const kClock = new Intl.DateTimeFormat("en", { timeStyle: "medium", hourCycle: "h23" });

/** @param {number} value */
export function number(value) {
  return kNumber.format(value);
}

/** @param {string} day YYYY-MM-DD @param {Intl.DateTimeFormat} form */
function day_in(day, form) {
  const time = Date.parse(`${day}T00:00:00Z`);
  return Number.isNaN(time) ? day : form.format(time);
}

/** @param {string} day YYYY-MM-DD; anything else is returned unchanged */
export const day = (day) => day_in(day, kDay);

/** @param {string} day YYYY-MM-DD */
export const short_day = (day) => day_in(day, kShortDay);

/** @param {number} time milliseconds since 1970, shown in the visitor's time zone */
export const clock = (time) => kClock.format(time);

/** @param {number} seconds */
export function duration(seconds) {
  const whole = Math.max(0, Math.ceil(seconds));
  if (whole < 120) return `${whole} s`;
  if (whole < 7200) return `${Math.round(whole / 60)} min`;
  return `${Math.round(whole / 3600)} h`;
}

/** @param {number} milliseconds */
export function milliseconds(milliseconds) {
  return milliseconds < 10 ? `${milliseconds.toFixed(1)} ms` : `${Math.round(milliseconds)} ms`;
}

/** Number of characters that a visitor sees, as the server counts them. @param {string} text */
export function code_points(text) {
  return [...text].length;
}
