// @ts-check
/** The bar on top: sights, filters, and the cluster in a few numbers. */
import {Component, createRef, h} from './preact.js';
import {address, go, here, isFiltered} from './place.js';
import {Viewer} from './session.js';
import {store, Watching} from './store.js';
import {chooseTheme, chosenTheme} from './theme.js';
import {absolute, count, counted, duration, seconds, sourceWords} from './words.js';

const SIGHTS = [
  {sight: 'overview', label: 'Overview'},
  {sight: 'map', label: 'Map'},
  {sight: 'line', label: 'Line'},
  {sight: 'queues', label: 'Queues'},
  {sight: 'whatif', label: 'What if'},
  {sight: 'history', label: 'Over time'},
];
const TYPING_MILLIS = 150;

/** @param {{place: import('./place.js').Place, link: string}} props */
export function Bar({place, link}) {
  return h(
    'header',
    {class: 'bar'},
    h('div', {class: 'tools'},
      h('h1', null, h('a', {href: address({sight: 'overview'})},
        h('span', {class: 'mark', 'aria-hidden': 'true'}), 'Muster ', h('span', null, 'board'))),
      h('nav', {class: 'sights', 'aria-label': 'Sights'}, SIGHTS.map(({sight, label}) =>
        h('a', {
          key: sight, class: sight, href: address({sight}),
          'aria-current': place.sight === sight ? 'page' : undefined,
        }, label))),
      h('span', {class: 'grow'}),
      h(Filters, {place}),
      h('button', {
        type: 'button', class: 'pause', 'aria-pressed': String(link === 'paused'),
        onClick: () => store.pause(link !== 'paused'),
      }, link === 'paused' ? 'Go on' : 'Pause'),
      h(Theme, null),
      h(Viewer, null)),
    h(Numbers, {link}),
  );
}

/** The search box and the choices of namespace and queue. */
class Filters extends Watching {
  static topics = ['gangs', 'queues', 'whole'];
  static every = 2000;

  /** @param {any} props */
  constructor(props) {
    super(props);
    this.box = createRef();
    this.onKey = (/** @type {KeyboardEvent} */ e) => {
      const target = /** @type {HTMLElement} */ (e.target);
      if (e.key !== '/' || e.ctrlKey || e.metaKey || target.closest('input, select, textarea')) return;
      e.preventDefault();
      this.box.current.focus();
      this.box.current.select();
    };
  }

  componentDidMount() {
    super.componentDidMount();
    document.addEventListener('keydown', this.onKey);
  }

  componentWillUnmount() {
    super.componentWillUnmount();
    clearTimeout(this.typing);
    document.removeEventListener('keydown', this.onKey);
  }

  /** @param {string} q */
  type(q) {
    clearTimeout(this.typing);
    this.typing = setTimeout(() => go({q}, true), TYPING_MILLIS);
  }

  render() {
    const {place} = this.props;
    const namespaces = new Set(place.ns ? [place.ns] : []);
    const queues = new Set(place.queue ? [place.queue] : []);
    for (const gang of store.state.gangs.values()) {
      namespaces.add(gang.namespace);
      if (gang.queue) queues.add(gang.queue);
    }
    for (const queue of store.state.queues) queues.add(queue.name);
    return h(
      'search',
      {class: 'filters'},
      h('input', {
        ref: this.box, type: 'search', value: place.q, placeholder: 'Gang, queue or node  ( / )',
        'aria-label': 'Find gangs, queues and nodes', 'aria-keyshortcuts': '/',
        onInput: (/** @type {any} */ e) => this.type(e.target.value.trim()),
        onKeyDown: (/** @type {any} */ e) => e.key === 'Escape' && go({q: ''}, true),
      }),
      h(Options, {label: 'Namespace', all: 'All namespaces', names: namespaces, value: place.ns, to: 'ns'}),
      h(Options, {label: 'Queue', all: 'All queues', names: queues, value: place.queue, to: 'queue'}),
      isFiltered(place) && h('button', {
        type: 'button', class: 'quiet', onClick: () => go({q: '', ns: '', queue: ''}),
      }, 'Clear'),
    );
  }
}

/** Drawn again only if the names are others. */
class Options extends Component {
  /** @param {any} props */
  shouldComponentUpdate(props) {
    const before = this.props;
    return props.value !== before.value || props.names.size !== before.names.size
      || [...props.names].some((name) => !before.names.has(name));
  }

  render() {
    const {label, all, names, value, to} = this.props;
    return h('select', {
      'aria-label': label, value, class: value ? 'chosen' : '',
      onChange: (/** @type {any} */ e) => go({[to]: e.target.value}),
    },
    h('option', {value: ''}, all),
    [...names].sort().map((name) => h('option', {key: name, value: name}, name)));
  }
}

class Theme extends Component {
  render() {
    return h('select', {
      'aria-label': 'Theme', class: 'theme', value: chosenTheme(),
      onChange: (/** @type {any} */ e) => {
        chooseTheme(e.target.value);
        this.setState({});
      },
    },
    h('option', {value: 'auto'}, 'Auto'),
    h('option', {value: 'light'}, 'Light'),
    h('option', {value: 'dark'}, 'Dark'));
  }
}

/** Devices and gangs in numbers, and whose words these are. */
class Numbers extends Watching {
  static topics = ['totals', 'gangs', 'source', 'time', 'whole'];
  static every = 500;

  render() {
    const {state} = store;
    const gangs = counts();
    const oldest = gangs.oldest;
    return h(
      'div',
      {class: 'numbers'},
      state.totals && h(Devices, {totals: state.totals, devices: state.devices}),
      h('dl', {class: 'phases'},
        h(Figure, {name: 'waiting', value: gangs.Waiting, list: ''}),
        h(Figure, {name: 'starting', value: gangs.Planned + gangs.Binding, list: 'others'}),
        h(Figure, {name: 'running', value: gangs.Running, list: 'others'}),
        h(Figure, {name: 'broken', value: gangs.Broken, list: 'others'}),
        h('div', {class: 'figure oldest'},
          h('dt', null, 'oldest wait'),
          h('dd', {title: oldest && absolute(oldest.since)}, oldest
            ? h('a', {href: address({sight: 'gang', namespace: oldest.namespace, name: oldest.name})},
              duration(store.now() - Date.parse(oldest.since)))
            : '–'))),
      state.source && h(Source, {source: state.source, asOf: state.asOf, link: this.props.link}),
    );
  }
}

/** @param {{name: string, value: number, list: string}} props */
function Figure({name, value, list}) {
  return h('div', {class: `figure ${name}${value ? '' : ' none'}`},
    h('dt', null, name),
    h('dd', null, h('a', {
      href: address({list, ...(here().sight === 'overview' ? {} : {sight: 'line'})}),
      'aria-label': `${count(value)} ${name}`,
    }, count(value))));
}

/** @param {{totals: import('./state.js').Totals, devices: any[]}} props */
function Devices({totals, devices}) {
  const {used, kept, free, stranded} = totals;
  const all = totals.devices;
  const open = Math.max(0, free - stranded);
  const parts = [
    {kind: 'used', label: 'used', value: used, width: used},
    {kind: 'kept', label: 'reserved', value: kept, width: kept},
    {kind: 'free', label: 'free', value: free, width: open},
    {kind: 'stranded', label: 'of these stranded', value: stranded, width: Math.min(free, stranded)},
  ];
  const types = devices.map((type) =>
    `${type.name}: ${count(type.free)} of ${count(type.devices)} free`).join('\n');
  return h(
    'div',
    {class: 'devices'},
    h('div', {class: 'devicehead', title: types},
      h('strong', null, count(all)), ' devices',
      devices.length === 1 && h('span', {class: 'muted'}, ' ', devices[0].name)),
    h('div', {class: 'meter', 'aria-hidden': 'true'}, parts.map(({kind, width}) =>
      width > 0 && h('div', {key: kind, class: kind, style: {width: `${(100 * width) / Math.max(1, all)}%`}}))),
    h('ul', null, parts.map(({kind, label, value}) =>
      h('li', {key: kind}, h('span', {class: `swatch ${kind}`}), h('strong', null, count(value)), ' ', label))),
  );
}

/** @param {{source: import('./state.js').Source, asOf: string, link: string}} props */
function Source({source, asOf, link}) {
  const isLive = link === 'live' && !source.stale && source.kind !== 'snapshot';
  return h(
    'div',
    {class: isLive && source.led ? 'source live' : 'source'},
    h('div', {class: 'sourcename'}, h('span', {class: 'pulse', 'aria-hidden': 'true'}),
      source.kind === 'snapshot' ? null : h('bdi', {class: 'name', title: source.name}, source.name)),
    h('div', {class: 'muted'}, sourceWords(source, asOf)),
    source.namespace && h('div', {class: 'muted'}, 'namespace ', h('bdi', {class: 'name'}, source.namespace)),
  );
}

/** Gangs by phase, and the one that waits longest. */
function counts() {
  /** @type {any} */
  const result = {Waiting: 0, Planned: 0, Binding: 0, Running: 0, Broken: 0, Finished: 0, oldest: undefined};
  for (const gang of store.state.gangs.values()) {
    result[gang.phase]++;
    if (gang.phase !== 'Waiting' || !gang.since) continue;
    if (!result.oldest || gang.since < result.oldest.since) result.oldest = gang;
  }
  return result;
}

/** What the reader has to know before trusting the page. */
export class Notices extends Watching {
  static topics = ['source', 'link', 'time'];
  static every = 500;

  render() {
    const {source, asOf} = store.state;
    const time = seconds(asOf);
    const {link, problem} = store;
    return h(
      'div',
      {class: 'notices'},
      link === 'lost' && h('p', {class: 'notice bad', role: 'alert'},
        asOf ? `Connection lost, as of ${time}, trying again` : 'Connection lost, trying again',
        problem && `: ${problem}`),
      link === 'paused' && h('p', {class: 'notice'}, `Paused: as of ${time}`),
      source && source.stale && link === 'live' && h('p', {class: 'notice bad'}, `As of ${time}: `, source.stale),
      source && source.released && h('p', {class: 'notice bad'},
        'Muster is released: it has been told to let go of all pods, and schedules none.'),
      source && source.left && source.left.length > 0 && h('details', {class: 'notice', open: true},
        h('summary', null, `${counted(source.left.length, 'thing is', 'things are')} left out`),
        h('ul', null, source.left.map((sentence) => h('li', {key: sentence}, sentence)))),
    );
  }
}
