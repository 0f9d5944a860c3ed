// @ts-check
/** A chart over time with a list of what its colours mean, whose values are those at the pointer. */
import {Component, h} from './preact.js';
import {watchTheme} from './theme.js';
import {clockOf, dayOf} from './words.js';

const HEIGHT = 180;
const AXIS_WIDTH = 56;
const TIME_WIDTH = 80;
const DOT = 6;
/** Of an interval. */
const BAR = 0.8;

/** Loaded when the first chart is shown. @type {Promise<any> | undefined} */
let library;

/** @param {string} name of a variable of the page's style, or a colour */
function colour(name) {
  return name.startsWith('--')
    ? getComputedStyle(document.documentElement).getPropertyValue(name).trim()
    : name;
}

/**
 * @typedef {{key: string, label: string, colour: () => string, shape: 'area' | 'line' | 'bars' | 'dots',
 *   values: (number | null)[], scale?: string, words: (value: number) => string}} Line
 * @typedef {{name: string, title: string, times: number[], lines: Line[], from: number, to: number,
 *   step: number, words: (value: number) => string}} Drawing areas lie on each other, the first
 *   one below
 */
export class Chart extends Component {
  /** @param {any} props drawing: Drawing */
  constructor(props) {
    super(props);
    this.state = {at: null, said: '', fault: ''};
  }

  componentDidMount() {
    this.unwatch = watchTheme(() => this.plot && this.plot.redraw(false));
    this.resizes = new ResizeObserver(() => this.plot && this.plot.setSize(this.size()));
    this.resizes.observe(this.box);
    this.make();
  }

  componentWillUnmount() {
    this.isGone = true;
    this.unwatch();
    this.resizes.disconnect();
    this.drop();
  }

  drop() {
    if (this.plot) this.plot.destroy();
    this.plot = undefined;
  }

  async make() {
    try {
      library = library || import('./uplot.js');
      this.kind = (await library).default;
    } catch {
      library = undefined;
      this.setState({fault: 'The chart could not be loaded. The table below has the same numbers.'});
      return;
    }
    if (!this.isGone) this.draw();
  }

  /** @param {any} before */
  componentDidUpdate(before) {
    if (this.kind && before.drawing !== this.props.drawing) this.draw();
  }

  size() {
    return {width: Math.max(100, this.box.clientWidth), height: HEIGHT};
  }

  /** With other lines it is made anew. */
  draw() {
    const {drawing} = this.props;
    const shape = drawing.lines.map((/** @type {Line} */ line) => line.key).join();
    if (this.shape !== shape) this.drop();
    this.shape = shape;
    const data = [drawing.times, ...layers(drawing.lines).map(({heights}) => heights)];
    if (this.plot) {
      this.plot.setData(data, false);
      this.plot.setScale('x', {min: drawing.from, max: drawing.to});
    } else {
      this.plot = new this.kind(this.options(drawing), data, this.box);
    }
  }

  /** @param {Drawing} drawing */
  options(drawing) {
    const axis = (/** @type {any} */ more) => ({
      stroke: () => colour('--muted'), font: '12px system-ui, sans-serif',
      grid: {stroke: () => colour('--edge'), width: 1}, ticks: {show: false}, ...more,
    });
    const others = new Map(drawing.lines.filter(({scale}) => scale).map((line) => [line.scale, line]));
    const grows = {range: (/** @type {any} */ _, /** @type {number} */ least, /** @type {number} */ most) =>
      [0, Math.max(1, (most || 0) * 1.05)]};
    return {
      ...this.size(),
      legend: {show: false},
      // All charts are as wide, so that a time is at one place in all of them.
      padding: [8, others.size > 0 ? 0 : AXIS_WIDTH, 0, 0],
      cursor: {
        y: false, drag: {x: false, y: false}, points: {show: false},
        sync: {key: 'history', scales: ['x', null]},
      },
      scales: {
        x: {time: true, range: () => [this.props.drawing.from, this.props.drawing.to]},
        y: grows, ...Object.fromEntries([...others.keys()].map((scale) => [scale, grows])),
      },
      axes: [
        axis({space: TIME_WIDTH, values: (/** @type {any} */ _, /** @type {number[]} */ splits) => timeLabels(splits)}),
        axis({
          size: AXIS_WIDTH, incrs: WHOLE,
          values: (/** @type {any} */ _, /** @type {number[]} */ splits) => splits.map(drawing.words),
        }),
        ...[...others].map(([scale, line]) => axis({
          scale, side: 1, size: AXIS_WIDTH, grid: {show: false}, incrs: SECONDS,
          values: (/** @type {any} */ _, /** @type {number[]} */ splits) => splits.map(line.words),
        })),
      ],
      series: [{}, ...layers(drawing.lines).map(({line}) => this.layer(line))],
      hooks: {setCursor: [(/** @type {any} */ plot) => this.pointed(plot.cursor.idx)]},
    };
  }

  /** @param {Line} line */
  layer(line) {
    const stroke = () => colour(line.colour());
    const dots = {size: DOT, stroke, fill: stroke};
    const lone = (/** @type {any} */ plot, /** @type {number} */ i) => loneOnes(plot.data[i]);
    const scale = line.scale || 'y';
    switch (line.shape) {
      case 'area':
        return {scale, stroke, fill: stroke, width: 1, points: {...dots, show: false, filter: lone}};
      case 'bars':
        return {scale, stroke, fill: stroke, width: 0, points: {show: false},
          paths: this.kind.paths.bars({size: [BAR, 60]})};
      case 'dots':
        return {scale, stroke, paths: () => null, points: {...dots, show: true}};
      default:
        return {scale, stroke, width: 1.5, dash: [4, 3], points: {...dots, show: false, filter: lone}};
    }
  }

  /** @param {number | null | undefined} at */
  pointed(at) {
    const now = at === undefined ? null : at;
    if (now !== this.state.at) this.setState({at: now});
  }

  /** @param {KeyboardEvent} e */
  key(e) {
    const {times} = this.props.drawing;
    if (!this.plot || times.length === 0) return;
    const at = this.state.at === null ? times.length - 1 : this.state.at;
    const page = Math.max(1, Math.round(times.length / 12));
    /** @type {Record<string, number>} */
    const steps = {
      ArrowLeft: at - (this.state.at === null ? 0 : 1), ArrowRight: at + 1, PageUp: at - page, PageDown: at + page,
      Home: 0, End: times.length - 1,
    };
    if (e.key === 'Escape') {
      this.plot.setCursor({left: -10, top: -10}, true, true);
    } else if (e.key in steps) {
      const to = Math.min(times.length - 1, Math.max(0, steps[e.key]));
      this.plot.setCursor({left: this.plot.valToPos(times[to], 'x'), top: 1}, true, true);
      this.setState({said: this.sentence(to)});
    } else {
      return;
    }
    e.preventDefault();
  }

  /** @param {number} at */
  sentence(at) {
    const {drawing} = this.props;
    const values = drawing.lines.map((/** @type {Line} */ line) => `${line.label} ${told(line, at)}`);
    return `${clockOf(drawing.times[at] * 1000)}: ${values.join(', ')}`;
  }

  render() {
    const {drawing} = this.props;
    const last = drawing.times.length - 1;
    const at = this.state.at === null || this.state.at > last ? latest(drawing) : this.state.at;
    const id = `chart-${drawing.name}`;
    return h(
      'figure',
      {class: 'chart', 'aria-labelledby': id},
      h('figcaption', null,
        h('h3', {id}, drawing.title),
        h('span', {class: 'muted'}, last >= 0 && this.state.at !== null && clockOf(drawing.times[at] * 1000)),
        h('ul', null, drawing.lines.map((/** @type {Line} */ line) =>
          h('li', {key: line.key},
            h('span', {class: `swatch ${line.shape}`, style: {background: css(line.colour())}}), line.label, ' ',
            h('strong', null, last >= 0 ? told(line, at) : '–'))))),
      h('div', {
        class: 'plot', tabIndex: 0, role: 'application', ref: (box) => (this.box = box),
        'aria-label': `${drawing.title}: arrow keys go along time`,
        onKeyDown: (/** @type {KeyboardEvent} */ e) => this.key(e),
      }),
      h('p', {class: 'visuallyhidden', role: 'status'}, this.state.said),
      this.state.fault && h('p', {class: 'nothing'}, this.state.fault));
  }
}

const WHOLE = [1, 2, 5].flatMap((digit) => [0, 1, 2, 3, 4, 5, 6].map((zeros) => digit * 10 ** zeros))
  .sort((a, b) => a - b);
const SECONDS = [1, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21600, 43200, 86400, 172800, 604800, 2592000];

/** @param {string} name */
function css(name) {
  return name.startsWith('--') ? `var(${name})` : name;
}

/**
 * The last point, or the one before while nothing is known of the one that has just begun.
 *
 * @param {Drawing} drawing
 */
function latest({times, lines}) {
  const last = times.length - 1;
  const isKnown = lines.some(({values}) => typeof values[last] === 'number');
  return isKnown || last === 0 ? last : last - 1;
}

/** @param {Line} line @param {number} at */
function told(line, at) {
  const value = line.values[at];
  return value === null || value === undefined ? '–' : line.words(value);
}

/**
 * From back to front: areas from the highest to the lowest, each painted over the one before.
 *
 * @param {Line[]} lines
 */
function layers(lines) {
  /** @type {(number | null)[] | undefined} */
  let below;
  const areas = lines.filter(({shape}) => shape === 'area').map((line) => {
    /** @type {(number | null)[]} */
    const heights = line.values.map((value, i) => {
      const under = below ? below[i] : 0;
      return value === null || under === null ? null : under + value;
    });
    below = heights;
    return {line, heights};
  });
  return [
    ...areas.reverse(),
    ...lines.filter(({shape}) => shape !== 'area').map((line) => ({line, heights: line.values})),
  ];
}

/**
 * Points with a gap on both sides, of which no line is drawn.
 *
 * @param {(number | null)[]} values
 */
function loneOnes(values) {
  const isThere = (/** @type {number} */ i) => values[i] !== null && values[i] !== undefined;
  const found = values.map((_, i) => i).filter((i) => isThere(i) && !isThere(i - 1) && !isThere(i + 1));
  return found.length > 0 ? found : null;
}

/**
 * The hour in the reader's time, with the day where it is another one than before, and with the
 * zone where clocks are changed in between.
 *
 * @param {number[]} splits in seconds
 */
export function timeLabels(splits) {
  const dates = splits.map((split) => new Date(split * 1000));
  const isChanged = dates.some((date) => date.getTimezoneOffset() !== dates[0].getTimezoneOffset());
  return dates.map((date, i) => {
    const hour = clockOf(date.getTime(), isChanged);
    return i > 0 && dates[i - 1].getDate() === date.getDate() ? hour : `${hour}\n${dayOf(date.getTime())}`;
  });
}
