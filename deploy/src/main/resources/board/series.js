// @ts-check
/**
 * What the server has told of a range of time, and goes on to tell. Never more of it is kept than
 * the range has, however long the page is open.
 *
 * @typedef {(number | null)[]} Column
 * @typedef {{stepSeconds: number, from: number, started: Column, medianWaitSeconds: Column}} Starts
 * @typedef {{stepSeconds: number, from: number, now: string, began?: string, grafana?: string,
 *   columns: Record<string, Column>, reasons: Record<string, Column>, starts: Starts}} Answer
 */

export const OTHER = 'other';

export class Series {
  /** @param {number} seconds of the range */
  constructor(seconds) {
    this.seconds = seconds;
    this.forget();
  }

  forget() {
    this.step = 0;
    /** The server's clock at the last answer, in seconds. */
    this.now = 0;
    this.began = '';
    this.grafana = '';
    /** @type {number[]} when each step begins, in seconds */
    this.times = [];
    /** @type {Record<string, Column>} */
    this.columns = {};
    /** @type {Record<string, Column>} */
    this.reasons = {};
    this.startsStep = 0;
    /** @type {number[]} */
    this.startTimes = [];
    /** @type {Column} */
    this.started = [];
    /** @type {Column} */
    this.waits = [];
  }

  /** @param {number} now in seconds */
  address(now) {
    const last = this.times.at(-1);
    return last === undefined
      ? `/api/v1/history?since=${Math.floor(now - this.seconds)}`
      : `/api/v1/history?since=${last}&step=${this.step}`;
  }

  /**
   * @param {Answer} answer
   * @returns {boolean} whether it goes on from what is known; if not, all has to be asked for anew
   */
  take(answer) {
    const now = Date.parse(answer.now) / 1000;
    if (this.times.length > 0 && !this.goesOn(answer, now)) {
      this.forget();
      return false;
    }
    this.now = now;
    this.began = answer.began || '';
    this.grafana = answer.grafana || '';
    this.step = answer.stepSeconds;
    const length = answer.columns.devices.length;
    const first = now - this.seconds;
    const kept = this.between(this.times, first, answer.from);
    this.times = kept(this.times).concat(times(answer.from, answer.stepSeconds, length));
    this.columns = joined(this.columns, answer.columns, kept);
    this.reasons = joined(this.reasons, answer.reasons, kept);

    const {starts} = answer;
    if (starts.started.length > 0) {
      const keptStarts = this.between(this.startTimes, first, starts.from);
      this.startsStep = starts.stepSeconds;
      this.startTimes = keptStarts(this.startTimes)
        .concat(times(starts.from, starts.stepSeconds, starts.started.length));
      this.started = keptStarts(this.started).concat(starts.started);
      this.waits = keptStarts(this.waits).concat(starts.medianWaitSeconds);
    }
    return true;
  }

  /**
   * @param {Answer} answer
   * @param {number} now
   */
  goesOn(answer, now) {
    const end = /** @type {number} */ (this.times.at(-1)) + this.step;
    return answer.stepSeconds === this.step
      && (answer.began || '') === this.began
      && answer.from <= end && now >= this.now
      && names(answer.reasons) === names(this.reasons);
  }

  /**
   * @param {number[]} all
   * @param {number} from
   * @param {number} to
   * @returns {<T>(column: T[]) => T[]} that keeps of a column what is in between
   */
  between(all, from, to) {
    const begin = all.findIndex((time) => time >= from);
    const end = all.findIndex((time) => time >= to);
    return (column) => (begin < 0 ? [] : column.slice(begin, end < 0 ? undefined : end));
  }

  /** Gangs that wait, whatever the reason; null where nobody looked. */
  waiting() {
    const columns = Object.values(this.reasons);
    return this.columns.running.map((running, i) =>
      running === null ? null : columns.reduce((sum, column) => sum + (column[i] || 0), 0));
  }

  /**
   * The mean of a column in each interval of starts.
   *
   * @param {Column} column
   * @returns {Column}
   */
  byInterval(column) {
    const sums = this.startTimes.map(() => ({sum: 0, there: 0}));
    this.times.forEach((time, i) => {
      const at = sums[Math.floor((time - this.startTimes[0]) / this.startsStep)];
      const value = column[i];
      if (!at || value === null) return;
      at.sum += value;
      at.there++;
    });
    return sums.map(({sum, there}) => (there === 0 ? null : sum / there));
  }
}

/**
 * @param {number} from
 * @param {number} step
 * @param {number} length
 */
function times(from, step, length) {
  return Array.from({length}, (_, i) => from + i * step);
}

/** @param {Record<string, Column>} columns */
function names(columns) {
  return Object.keys(columns).sort().join();
}

/**
 * @param {Record<string, Column>} before
 * @param {Record<string, Column>} after
 * @param {<T>(column: T[]) => T[]} kept
 */
function joined(before, after, kept) {
  /** @type {Record<string, Column>} */
  const columns = {};
  // In the order in which they came first, so that none changes its place or colour.
  for (const name of [...Object.keys(before), ...Object.keys(after)]) {
    columns[name] = kept(before[name] || []).concat(after[name]);
  }
  return columns;
}
