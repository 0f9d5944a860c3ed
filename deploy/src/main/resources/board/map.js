// @ts-check
/** The map of nodes with its tools, legend, tooltip, and the table with the same content. */
import {Component, h} from './preact.js';
import {MODES, OTHERS, Palette} from './colours.js';
import {MapView} from './mapview.js';
import {NodeTable} from './nodes.js';
import {Painter} from './paint.js';
import {Name} from './parts.js';
import {go, here} from './place.js';
import {freeDevices, shares, State} from './state.js';
import {store, Watching} from './store.js';
import {theme, watchTheme} from './theme.js';
import {counted, stateOf} from './words.js';

const MODE_WORDS = {
  gang: 'gang', queue: 'queue', namespace: 'namespace', priority: 'priority', age: 'age of gang',
  free: 'free devices',
};
const LEGEND_ENTRIES = 24;
/** Age colours move with time. */
const AGE_MILLIS = 60000;

/**
 * @param {{place: import('./place.js').Place, lit?: Set<number>}} props lit: nodes to be lit up,
 *   whatever is pinned
 */
export function MapSight({place, lit}) {
  const by = MODES.includes(place.by) ? place.by : 'gang';
  const isTable = place.table === '1';
  return h(
    'section',
    {class: 'panel map', 'aria-labelledby': 'map-title'},
    h('div', {class: 'panelhead'},
      h('h2', {id: 'map-title'}, 'Map'),
      h('label', null, 'Color by ',
        h('select', {
          value: by,
          onChange: (/** @type {any} */ e) => go({by: e.target.value === 'gang' ? '' : e.target.value}),
        }, MODES.map((mode) => h('option', {key: mode, value: mode}, MODE_WORDS[mode])))),
      h('span', {class: 'grow'}),
      h('button', {
        type: 'button', 'aria-pressed': String(isTable), onClick: () => go({table: isTable ? '' : '1'}),
      }, 'Show as table'),
    ),
    isTable ? h(NodeTable, {place}) : h(Canvases, {place, lit}),
    !isTable && h(Legend, {by, place}),
  );
}

class Canvases extends Component {
  /** @param {any} props */
  constructor(props) {
    super(props);
    this.tooltip = null;
  }

  componentDidMount() {
    this.map = new MapView(this.box, this.cells, this.lights, {
      hover: (at, isByKey) => this.hint && this.hint.show(at, isByKey),
      pin: (pin) => go({pin}),
    });
    this.unwatch = store.watch((touched) => this.map.take(touched));
    this.untheme = watchTheme(() => this.map.drawWhole());
    this.ageing = setInterval(() => here().by === 'age' && this.map.drawWhole(), AGE_MILLIS);
    this.map.resize();
    this.light();
  }

  componentWillUnmount() {
    this.unwatch();
    this.untheme();
    clearInterval(this.ageing);
    this.map.close();
  }

  /** @param {any} before */
  componentDidUpdate(before) {
    if (before.place.by !== this.props.place.by) this.map.drawWhole();
    else this.light();
  }

  /** @param {any} props */
  shouldComponentUpdate(props) {
    return props.place !== this.props.place || props.lit !== this.props.lit;
  }

  light() {
    this.map.lit = this.props.lit;
    this.map.light();
  }

  render() {
    return h(
      'div',
      {class: 'mapbox'},
      h('div', {
        class: 'canvases', tabIndex: 0, role: 'application',
        'aria-label': 'Map of nodes. Arrow keys go from node to node, Enter pins the gang, Escape unpins, '
          + 'plus and minus zoom, 0 shows all. The same is in the table.',
        'aria-describedby': 'map-hint',
        ref: (box) => (this.box = box),
      },
      h('canvas', {ref: (canvas) => (this.cells = canvas)}),
      h('canvas', {ref: (canvas) => (this.lights = canvas)})),
      h('div', {class: 'zoom'},
        h('button', {type: 'button', 'aria-label': 'Zoom in', onClick: () => this.map.zoom(1.4)}, '+'),
        h('button', {type: 'button', 'aria-label': 'Zoom out', onClick: () => this.map.zoom(1 / 1.4)}, '−'),
        h('button', {type: 'button', 'aria-label': 'Show all', onClick: () => this.map.fit()}, '⤢')),
      h(Hint, {ref: (hint) => (this.hint = hint)}),
      h(Nothing, null),
    );
  }
}

/** What the pointer or the keyboard is on. */
class Hint extends Watching {
  static topics = ['nodes', 'gangs'];
  static every = 250;

  /**
   * @param {{node: number, x: number, y: number} | undefined} at
   * @param {boolean} isByKey whether it is told to readers of screens
   */
  show(at, isByKey) {
    if (at || this.at) {
      this.at = at;
      const node = isByKey && at && store.state.nodes.get(at.node);
      this.said = node ? sentence(node) : '';
      this.drawAgain();
    }
  }

  componentDidUpdate() {
    const {box, at} = this;
    if (!box || !at || !box.parentElement) return;
    const room = box.parentElement;
    const left = Math.max(4, Math.min(at.x + 14, room.clientWidth - box.offsetWidth - 4));
    const below = at.y + 16;
    const top = below + box.offsetHeight > room.clientHeight ? at.y - box.offsetHeight - 10 : below;
    box.style.left = `${left}px`;
    box.style.top = `${Math.max(4, top)}px`;
  }

  render() {
    const node = this.at && store.state.nodes.get(this.at.node);
    return [
      h('div', {key: 'hint', class: 'hint', id: 'map-hint', hidden: !node, ref: (box) => (this.box = box)},
        node && h(NodeWords, {node})),
      h('p', {key: 'said', class: 'visuallyhidden', role: 'status'}, this.said),
    ];
  }
}

/** @param {import('./state.js').Node} node as it is when it is come to */
function sentence(node) {
  const gangs = shares(store.state, node).map(({text, devices, isKept}) =>
    `${text} ${counted(devices, 'device', 'devices')}${isKept ? ' reserved' : ''}`);
  const free = `${freeDevices(node)} of ${counted(node.devices, 'device', 'devices')} free`;
  return [node.name, stateOf(node), free, ...gangs].join(', ');
}

/** @param {{node: import('./state.js').Node}} props */
function NodeWords({node}) {
  const where = [node.block && `block ${node.block}`, node.rack && `rack ${node.rack}`].filter(Boolean);
  return [
    h('div', {class: 'hintname'}, h(Name, {text: node.name, wrap: true})),
    h('div', {class: 'muted'}, [stateOf(node), ...where].join(' · ')),
    h('div', null, `${freeDevices(node)} of ${counted(node.devices, 'device', 'devices')} free`,
      node.device && h('span', {class: 'muted'}, ` (${node.device})`)),
    h('ul', null, shares(store.state, node).map(({text, devices, isKept}) =>
      h('li', null, h('bdi', {class: 'name'}, text), ` ${counted(devices, 'device', 'devices')}`,
        isKept && ', reserved'))),
  ];
}

/** Says why the map is empty. */
class Nothing extends Watching {
  static topics = ['nodes', 'whole'];
  static every = 1000;

  render() {
    if (store.state.nodes.size === 0) return h('p', {class: 'mapempty'}, 'No nodes can be seen.');
    const isEmpty = withoutDevices() === store.state.nodes.size;
    return isEmpty && h('p', {class: 'mapempty'}, 'No node has devices.');
  }
}

function withoutDevices() {
  let without = 0;
  for (const node of store.state.nodes.values()) if (node.devices === 0) without++;
  return without;
}

class Legend extends Watching {
  static topics = ['whole', 'gangs', 'nodes'];
  static every = 2000;

  componentDidMount() {
    super.componentDidMount();
    this.untheme = watchTheme(() => this.setState({}));
  }

  componentWillUnmount() {
    super.componentWillUnmount();
    this.untheme();
  }

  render() {
    const {by} = this.props;
    const without = withoutDevices();
    const palette = new Palette(theme(), by, store.state, store.now());
    const entries = palette.legend();
    const sample = (/** @type {string} */ words, /** @type {any} */ node) =>
      h('li', {key: words}, h(Sample, {node, by, theme: theme()}), words);
    return h(
      'div',
      {class: 'legend'},
      h('ul', {'aria-label': 'Legend'},
        by === 'gang' && sample('one color, one gang', {held: [[0, 1]]}),
        entries.slice(0, LEGEND_ENTRIES).map((entry) =>
          h('li', {key: entry.label}, h('span', {class: 'swatch', style: {background: entry.colour}}),
            h(Name, {text: entry.label}))),
        entries.length > LEGEND_ENTRIES && h('li', {key: 'more'}, `and ${entries.length - LEGEND_ENTRIES} more`),
        by === 'free' && sample('used', {held: [[OTHERS, 1]]}),
        sample('free', {}),
        sample('reserved', {kept: [[0, 1]]}),
        by !== 'free' && sample('others', {held: [[OTHERS, 1]]}),
        sample('not ready', {state: 'NotReady'}),
        sample('cordoned', {state: 'Cordoned'}),
        sample('leaving', {state: 'Leaving'}),
        sample('tainted', {tainted: true})),
      h('p', {class: 'muted'},
        'A node has so many devices of a gang; which of them is the kubelet’s choice.',
        without > 0 && ` ${counted(without, 'node', 'nodes')} without devices: only in the table.`),
    );
  }
}

/** One node of one device, drawn by the code that draws the map. */
class Sample extends Component {
  componentDidMount() {
    this.draw();
  }

  componentDidUpdate() {
    this.draw();
  }

  draw() {
    const {node, by} = this.props;
    const dpr = window.devicePixelRatio || 1;
    const side = 18;
    const canvas = /** @type {HTMLCanvasElement} */ (this.canvas);
    canvas.width = canvas.height = side * dpr;
    const state = new State();
    const gang = /** @type {any} */ ({id: 0, namespace: 'sample', name: 'gang', queue: 'sample', priority: 0});
    state.gangs.set(0, gang);
    state.nodes.set(0, {id: 0, name: '', state: 'Ready', devices: 1, ...node});
    const spot = /** @type {any} */ ({node: 0, x: 0, y: 0, index: 0});
    const sizes = {pitch: 12, square: 10, pad: 4, columns: 1, rows: 1, cellWidth: side, cellHeight: side, named: 0};
    const layout = /** @type {any} */ ({sizes, spots: new Map([[0, spot]]), blocks: []});
    const view = {scale: 1, left: 0, top: 0, dpr, width: side, height: side};
    const palette = new Palette(this.props.theme, by, state, 0);
    new Painter(canvas.getContext('2d'), layout, state, palette, view).whole();
  }

  render() {
    return h('canvas', {class: 'sample', ref: (canvas) => (this.canvas = canvas), 'aria-hidden': 'true'});
  }
}
