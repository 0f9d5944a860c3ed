// @ts-check
/** Devices, waiting gangs and starts over the last hours. Asked for only while it is shown. */
import {h} from './preact.js';
import {Chart} from './charts.js';
import {HUES} from './colours.js';
import {Choice} from './parts.js';
import {go} from './place.js';
import {OTHER, Series} from './series.js';
import {store, Watching} from './store.js';
import {theme, watchTheme} from './theme.js';
import {absolute, around, clockOf, count, duration} from './words.js';

const AGAIN_MILLIS = 10000;
const ANSWER_MILLIS = 15000;
const RANGES = [
  {value: '1h', label: '1 h', seconds: 3600},
  {value: '6h', label: '6 h', seconds: 6 * 3600},
  {value: '24h', label: '24 h', seconds: 24 * 3600},
];

/** Which of the hues a reason has, as long as the page is open. @type {Map<string, number>} */
const hues = new Map();

/** @param {string} reason */
function hue(reason) {
  if (reason === OTHER) return '--strong-edge';
  if (!hues.has(reason)) hues.set(reason, hues.size % HUES.light.length);
  return HUES[theme()][/** @type {number} */ (hues.get(reason))];
}

/** @param {string} value */
function rangeOf(value) {
  return RANGES.find((range) => range.value === value) || RANGES[0];
}

export class HistorySight extends Watching {
  static topics = ['link', 'source', 'whole'];

  /** @param {any} props */
  constructor(props) {
    super(props);
    this.state = {problem: ''};
    this.series = new Series(rangeOf(props.place.range).seconds);
    this.onVisible = () => !document.hidden && this.ask();
  }

  componentDidMount() {
    super.componentDidMount();
    this.unwatchTheme = watchTheme(() => this.setState({}));
    document.addEventListener('visibilitychange', this.onVisible);
    this.ask();
  }

  componentWillUnmount() {
    super.componentWillUnmount();
    this.unwatchTheme();
    document.removeEventListener('visibilitychange', this.onVisible);
    this.stop();
  }

  /** @param {any} before */
  componentDidUpdate(before) {
    const {seconds} = rangeOf(this.props.place.range);
    if (before.place.range === this.props.place.range) return;
    this.series = new Series(seconds);
    this.ask();
  }

  stop() {
    clearTimeout(this.next);
    if (this.abort) this.abort.abort();
    this.abort = undefined;
  }

  async ask() {
    this.stop();
    const {source} = store.state;
    if (source && source.kind === 'snapshot') return;
    this.next = setTimeout(() => this.ask(), AGAIN_MILLIS);
    const isHeld = store.link === 'paused' && this.series.times.length > 0;
    if (document.hidden || isHeld) return;
    const abort = new AbortController();
    const late = setTimeout(() => abort.abort(), ANSWER_MILLIS);
    this.abort = abort;
    const {series} = this;
    try {
      if (!(await this.read(series, abort.signal))) await this.read(series, abort.signal);
      if (this.abort === abort) this.setState({problem: ''});
    } catch (e) {
      if (this.abort === abort) this.setState({problem: e instanceof Refusal ? e.message : NO_ANSWER});
    } finally {
      clearTimeout(late);
    }
  }

  /**
   * @param {Series} series
   * @param {AbortSignal} signal
   */
  async read(series, signal) {
    const answer = await fetch(series.address(store.now() / 1000), {signal, cache: 'no-store'});
    if (!answer.ok) {
      const said = await answer.json().catch(() => ({}));
      if (answer.status === 401 && said.signIn) store.end(said.message);
      throw new Refusal(said.message || NO_ANSWER);
    }
    return series.take(await answer.json());
  }

  render() {
    const {place} = this.props;
    const {source} = store.state;
    const isSnapshot = source && source.kind === 'snapshot';
    return h(
      'section',
      {class: 'panel history', 'aria-labelledby': 'history-title'},
      h('div', {class: 'panelhead'},
        h('h2', {id: 'history-title'}, 'Over time'),
        !isSnapshot && h(Choice, {
          label: 'Range', choices: RANGES, value: rangeOf(place.range).value,
          choose: (range) => go({range: range === RANGES[0].value ? '' : range}),
        }),
        !isSnapshot && h('span', {class: 'muted'}, this.since()),
        h('span', {class: 'grow'}),
        isOfWeb(this.series.grafana)
          && h('a', {class: 'button', href: this.series.grafana, rel: 'noreferrer'}, 'More in Grafana')),
      isSnapshot
        ? h('p', {class: 'nothing'}, 'A snapshot has no history: it is of one moment.')
        : this.content(),
    );
  }

  /** Since when something is known, if that is less than the range. */
  since() {
    const {began, now, seconds} = this.series;
    const from = Date.parse(began) / 1000;
    return from > now - seconds
      && h('span', {title: absolute(began)}, `since ${around(began, now * 1000)}, when the board was started`);
  }

  content() {
    const {problem} = this.state;
    if (this.series.times.length === 0) {
      return h('p', {class: 'nothing', role: 'status'}, problem || 'Nothing has been seen yet.');
    }
    return [
      problem && h('p', {key: 'problem', class: 'notice', role: 'status'}, problem),
      h('div', {key: 'charts', class: 'charts'},
        this.drawings().map((drawing) => h(Chart, {key: drawing.name, drawing}))),
      h('p', {key: 'gaps', class: 'nothing'}, 'Where a line is broken nobody looked, the API server did not answer,'
        + ' or for gangs no Muster was running.'),
      h(Table, {key: 'table', series: this.series, now: this.series.now}),
    ];
  }

  /** @returns {import('./charts.js').Drawing[]} made anew for each answer and theme */
  drawings() {
    const {series} = this;
    const made = [series.seconds, series.now, theme()].join();
    if (this.made === made && this.charts) return this.charts;
    const {devices, used, kept, free, stranded} = series.columns;
    const line = (
      /** @type {string} */ key, /** @type {string} */ label, /** @type {any} */ values,
      /** @type {any} */ shape = 'area', /** @type {() => string} */ of = () => `--${key}`,
    ) => ({key, label, values, shape, colour: of, words: round});
    const span = {from: series.now - series.seconds, to: series.now, step: series.step, words: count};
    const open = free.map((all, i) => (all === null ? null : Math.max(0, all - (stranded[i] || 0))));
    const half = series.startsStep / 2;
    this.made = made;
    this.charts = [
      {...span, name: 'devices', title: 'Devices', times: series.times, lines: [
        line('used', 'used', used), line('kept', 'reserved', kept), line('stranded', 'stranded', stranded),
        line('free', 'otherwise free', open), line('devices', 'all', devices, 'line', () => '--ink')]},
      {...span, name: 'waiting', title: 'Waiting gangs by reason', times: series.times,
        lines: Object.keys(series.reasons).map((reason) =>
          line(reason, reason, series.reasons[reason], 'area', () => hue(reason)))},
      {...span, name: 'starts', title: `Gangs started, by ${duration(series.startsStep * 1000)}`,
        times: series.startTimes.map((time) => time + half), lines: [
          line('started', 'started', series.started, 'bars', () => '--used'),
          {...line('wait', 'median wait', series.waits, 'dots', () => '--stranded'), scale: 'wait', words: lasted}]},
    ];
    return this.charts;
  }
}

const NO_ANSWER = 'The history could not be read. Trying again.';

/** What the server said, in its words. */
class Refusal extends Error {}

/** @param {number} value */
function round(value) {
  return count(value < 10 ? Math.round(value * 10) / 10 : Math.round(value));
}

/** @param {number} seconds */
function lasted(seconds) {
  return duration(seconds * 1000);
}

/** @param {string} address */
function isOfWeb(address) {
  return /^https?:\/\//i.test(address);
}

/** The same as text, made when it is opened. */
class Table extends Watching {
  /** @param {any} props */
  constructor(props) {
    super(props);
    this.state = {isOpen: false};
  }

  render() {
    const {isOpen} = this.state;
    return h('details', {
      class: 'historytable', onToggle: (/** @type {any} */ e) => this.setState({isOpen: e.target.open}),
    },
    h('summary', null, 'As a table'),
    isOpen && this.table());
  }

  table() {
    /** @type {Series} */
    const series = this.props.series;
    const {columns, reasons} = series;
    const means = (/** @type {any} */ column) => series.byInterval(column);
    /** @typedef {[string, import('./series.js').Column, (value: number) => string]} Shown */
    /** @type {Shown[]} */
    const shown = [
      ['All', means(columns.devices), round], ['Used', means(columns.used), round],
      ['Reserved', means(columns.kept), round], ['Free', means(columns.free), round],
      ['Of these stranded', means(columns.stranded), round], ['Gangs running', means(columns.running), round],
      ['Waiting', means(series.waiting()), round],
      ...Object.keys(reasons).map((reason) => /** @type {Shown} */ ([reason, means(reasons[reason]), round])),
      ['Started', series.started, round], ['Median wait', series.waits, lasted],
    ];
    return h('div', {class: 'scrollx', tabIndex: 0, role: 'region', 'aria-label': 'Table over time'},
      h('table', {class: 'plain'},
        h('caption', {class: 'visuallyhidden'}, 'Means of each interval, the last one first'),
        h('thead', null, h('tr', null,
          h('th', {scope: 'col'}, 'From'),
          shown.map(([title]) => h('th', {key: title, scope: 'col'}, title)))),
        h('tbody', null, series.startTimes.map((time, i) => h('tr', {key: time},
          h('th', {scope: 'row', title: absolute(new Date(time * 1000).toISOString())}, clockOf(time * 1000)),
          shown.map(([title, values, words]) => h('td', {key: title, class: 'number'},
            values[i] === null || values[i] === undefined ? '–' : words(values[i]))))).reverse())));
  }
}
