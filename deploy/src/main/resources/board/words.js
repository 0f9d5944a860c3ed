// @ts-check
/** Numbers, times and sentences in the reader's locale. Sentences of the server are never touched. */

const numbers = new Intl.NumberFormat();
const clock = new Intl.DateTimeFormat(undefined, {hour: '2-digit', minute: '2-digit'});
const clockSeconds = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit', minute: '2-digit', second: '2-digit',
});
const day = new Intl.DateTimeFormat(undefined, {
  weekday: 'short', day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit',
});
const clockZone = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit', minute: '2-digit', timeZoneName: 'short',
});
const date = new Intl.DateTimeFormat(undefined, {day: 'numeric', month: 'short'});
const full = new Intl.DateTimeFormat(undefined, {dateStyle: 'full', timeStyle: 'long'});

const UNITS = [
  ['day', 86400000], ['hour', 3600000], ['minute', 60000], ['second', 1000],
].map(([unit, millis]) => ({
  millis: Number(millis),
  format: new Intl.NumberFormat(undefined, {
    style: 'unit', unit: String(unit), unitDisplay: 'narrow', maximumFractionDigits: 0,
  }),
}));

/** @param {number | undefined} value */
export function count(value) {
  return value === undefined ? '' : numbers.format(value);
}

/**
 * @param {number} amount
 * @param {string} one
 * @param {string} many
 */
export function counted(amount, one, many) {
  return `${count(amount)} ${amount === 1 ? one : many}`;
}

/** @param {number} millis */
export function duration(millis) {
  const rest = Math.max(0, millis);
  if (rest < 1000) return UNITS[3].format.format(0);
  const first = UNITS.findIndex((unit) => rest >= unit.millis);
  const whole = Math.floor(rest / UNITS[first].millis);
  const words = [UNITS[first].format.format(whole)];
  const next = UNITS[first + 1];
  if (next && whole < 10) {
    const part = Math.floor((rest - whole * UNITS[first].millis) / next.millis);
    if (part > 0) words.push(next.format.format(part));
  }
  return words.join(' ');
}

/** @param {string} time */
export function seconds(time) {
  const millis = Date.parse(time);
  return Number.isFinite(millis) ? clockSeconds.format(millis) : '';
}

/**
 * Hour and minute.
 *
 * @param {number} millis
 * @param {boolean} [withZone]
 */
export function clockOf(millis, withZone = false) {
  return (withZone ? clockZone : clock).format(millis);
}

/** @param {number} millis */
export function dayOf(millis) {
  return date.format(millis);
}

/** @param {string | undefined} time */
export function absolute(time) {
  const millis = Date.parse(time || '');
  return Number.isFinite(millis) ? full.format(millis) : '';
}

/**
 * Hour and minute, with the day if it is another one.
 *
 * @param {string} time
 * @param {number} now
 */
export function around(time, now) {
  const millis = Date.parse(time);
  if (!Number.isFinite(millis)) return time;
  const sameDay = new Date(millis).toDateString() === new Date(now).toDateString();
  return (sameDay ? clock : day).format(millis);
}

/**
 * @param {import('./state.js').Expected | undefined} expected
 * @param {number} now
 */
export function expectedStart(expected, now) {
  if (!expected) return 'not known';
  let words = `probably ${around(expected.p50, now)}`;
  if (expected.p90) words += `, in nine of ten cases by ${around(expected.p90, now)}`;
  if (expected.after) words += `; ${expected.after}`;
  return words;
}

/**
 * @param {import('./state.js').Gang} gang whose devices are those of the members that must start
 *   together while it waits, and of the bound ones after that
 * @returns {string} members x devices of each, or the devices of all if they differ
 */
export function asks(gang) {
  const members = gang.phase === 'Waiting' ? gang.minAvailable : gang.bound;
  if (!gang.devices || !members) return count(gang.members);
  const each = gang.devices / members;
  return Number.isInteger(each)
    ? `${count(members)} × ${count(each)}`
    : `${count(members)} with ${count(gang.devices)}`;
}

/** @type {Record<string, string>} */
export const STATES = {
  Ready: 'ready',
  NotReady: 'not ready',
  Cordoned: 'cordoned',
  Leaving: 'leaving',
};

/** @param {import('./state.js').Node} node */
export function stateOf(node) {
  const state = STATES[node.state] || node.state;
  return node.tainted ? `${state}, tainted` : state;
}

/**
 * @param {import('./state.js').Source} source
 * @param {string} asOf
 */
export function sourceWords(source, asOf) {
  if (source.kind === 'snapshot') return `snapshot ${source.name} of ${absolute(asOf)}`;
  if (source.led) return 'live, as Muster says it';
  return 'worked out from the cluster: no Muster is running';
}
