// @ts-check
/**
 * The two canvases of the map: cells below, highlights above. Decides what has to be drawn again
 * and turns pointer, wheel and keys into zoom, pan and choice.
 */
import {gangHues, OTHERS, Palette} from './colours.js';
import {Layout} from './layout.js';
import {highlight} from './light.js';
import {Painter} from './paint.js';
import {here, isFiltered, nameOf} from './place.js';
import {store} from './store.js';
import {theme} from './theme.js';

const MARGIN = 12;
const MOST_ZOOM = 24;
const ARROWS = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]};
/** What is lit up may touch many nodes, so it follows changes of the cluster at this pace. */
const LIGHT_MILLIS = 250;
/** Measures that are kept for whoever looks, so that a page open for days does not grow. */
const MEASURES = 5000;

export class MapView {
  /**
   * @param {HTMLElement} box
   * @param {HTMLCanvasElement} cells
   * @param {HTMLCanvasElement} lights
   * @param {{hover: (at: {node: number, x: number, y: number} | undefined, isByKey: boolean) => void,
   *   pin: (gang: string) => void}} reader
   */
  constructor(box, cells, lights, reader) {
    this.box = box;
    this.cells = cells;
    this.lights = lights;
    this.reader = reader;
    this.view = {scale: 1, left: MARGIN, top: MARGIN, dpr: 1, width: 0, height: 0};
    /** @type {Layout | undefined} */
    this.layout = undefined;
    /** @type {Set<number>} */
    this.dirty = new Set();
    this.isWholeDirty = true;
    this.areLightsDirty = true;
    this.frame = 0;
    this.lightingLater = 0;
    this.measured = 0;
    /** @type {number | undefined} */
    this.hovered = undefined;
    /** @type {number | undefined} */
    this.focused = undefined;
    /** @type {Set<number> | undefined} nodes to be lit up, whatever is pinned */
    this.lit = undefined;
    this.resizes = new ResizeObserver(() => this.resize());
    this.resizes.observe(box);
    this.listen();
  }

  close() {
    this.resizes.disconnect();
    clearTimeout(this.lightingLater);
    cancelAnimationFrame(this.frame);
  }

  resize() {
    const width = this.box.clientWidth;
    const height = this.box.clientHeight;
    const dpr = window.devicePixelRatio || 1;
    const {view} = this;
    if (width === view.width && height === view.height && dpr === view.dpr) return;
    Object.assign(view, {width, height, dpr});
    for (const canvas of [this.cells, this.lights]) {
      canvas.width = Math.round(width * dpr);
      canvas.height = Math.round(height * dpr);
    }
    this.layOut();
  }

  /** @param {import('./state.js').Touched} touched */
  take(touched) {
    if (touched.topics.has('whole')) {
      gangHues.clear();
      this.layOut();
      return;
    }
    for (const id of touched.gangs) if (!store.state.gangs.has(id)) gangHues.forget(id);
    let isMoved = false;
    for (const id of touched.nodes) {
      const node = store.state.nodes.get(id);
      const spot = this.layout && this.layout.spots.get(id);
      isMoved = isMoved || Boolean(spot) !== Boolean(node && node.devices > 0)
        || (node !== undefined && spot !== undefined && this.hasMoved(node, spot));
      this.dirty.add(id);
    }
    if (isMoved) this.layOut();
    else if (this.dirty.size > 0) this.schedule();
    const place = here();
    if ((place.pin || isFiltered(place)) && !this.lightingLater) {
      this.lightingLater = setTimeout(() => this.light(), LIGHT_MILLIS);
    }
  }

  /**
   * @param {import('./state.js').Node} node
   * @param {import('./layout.js').Spot} spot
   */
  hasMoved(node, spot) {
    const layout = /** @type {Layout} */ (this.layout);
    return (node.block || '') !== spot.rack.block || (node.rack || '') !== spot.rack.name
      || node.devices > layout.columns * layout.rows;
  }

  layOut() {
    const {view} = this;
    if (view.width === 0) return;
    this.layout = new Layout(store.state.nodes.values(), view.width - 2 * MARGIN, view.height - 2 * MARGIN);
    this.colour(this.layout.spots.keys());
    this.drawWhole();
  }

  /** @param {Iterable<number>} nodes whose gangs get a hue unlike that of their neighbours */
  colour(nodes) {
    const layout = /** @type {Layout} */ (this.layout);
    for (const id of nodes) {
      const spot = layout.spots.get(id);
      if (!spot) continue;
      const near = new Set();
      for (const other of [id, ...layout.neighbours(spot)]) {
        for (const gang of gangsOn(other)) near.add(gang);
      }
      for (const gang of gangsOn(id)) {
        const known = store.state.gangs.get(gang);
        if (known) gangHues.assign(gang, nameOf(known), near);
      }
    }
  }

  drawWhole() {
    this.isWholeDirty = true;
    this.light();
  }

  light() {
    clearTimeout(this.lightingLater);
    this.lightingLater = 0;
    this.areLightsDirty = true;
    this.schedule();
  }

  schedule() {
    if (!this.frame) this.frame = requestAnimationFrame(() => this.paint());
  }

  paint() {
    this.frame = 0;
    const {layout} = this;
    if (!layout) return;
    const start = performance.now();
    if (this.isWholeDirty) {
      this.palette = new Palette(theme(), here().by || 'gang', store.state, store.now());
      this.painter(this.cells).whole();
      this.measure('board:map-whole', start);
    } else if (this.dirty.size > 0) {
      this.colour(this.dirty);
      this.painter(this.cells).again(this.dirty);
      this.measure('board:map-change', start);
    }
    this.isWholeDirty = false;
    this.dirty.clear();
    if (this.areLightsDirty) highlight(this.painter(this.lights), here(), [this.hovered, this.focused], this.lit);
    this.areLightsDirty = false;
  }

  /** @param {HTMLCanvasElement} canvas */
  painter(canvas) {
    const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    const layout = /** @type {Layout} */ (this.layout);
    return new Painter(context, layout, store.state, /** @type {Palette} */ (this.palette), this.view);
  }

  /**
   * @param {string} name
   * @param {number} start
   */
  measure(name, start) {
    if (++this.measured % MEASURES === 0) performance.clearMeasures();
    performance.measure(name, {start, end: performance.now()});
  }

  listen() {
    const {box} = this;
    /** @type {{x: number, y: number, left: number, top: number, isMoved: boolean} | undefined} */
    let drag;
    box.addEventListener('pointerdown', (e) => {
      if (e.button !== 0) return;
      drag = {x: e.clientX, y: e.clientY, left: this.view.left, top: this.view.top, isMoved: false};
    });
    box.addEventListener('pointermove', (e) => {
      if (!drag) {
        this.hover(e);
        return;
      }
      const dx = e.clientX - drag.x;
      const dy = e.clientY - drag.y;
      if (!drag.isMoved && Math.hypot(dx, dy) < 4) return;
      if (!drag.isMoved) box.setPointerCapture(e.pointerId);
      drag.isMoved = true;
      this.move(drag.left + dx, drag.top + dy);
    });
    box.addEventListener('pointerup', (e) => {
      if (drag && !drag.isMoved) this.click(e);
      drag = undefined;
    });
    box.addEventListener('pointercancel', () => (drag = undefined));
    box.addEventListener('pointerleave', () => this.show(undefined));
    box.addEventListener('wheel', (e) => {
      e.preventDefault();
      const {x, y} = this.within(e);
      this.zoom(Math.exp(-e.deltaY * (e.deltaMode === 1 ? 0.05 : 0.0016)), x, y);
    }, {passive: false});
    box.addEventListener('keydown', (e) => this.key(e));
    box.addEventListener('blur', () => {
      this.focused = undefined;
      this.show(undefined);
    });
  }

  /** @param {KeyboardEvent} e */
  key(e) {
    const arrow = ARROWS[/** @type {keyof typeof ARROWS} */ (e.key)];
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    if (arrow && e.shiftKey) this.move(this.view.left - arrow[0] * 60, this.view.top - arrow[1] * 60);
    else if (arrow) this.step(arrow[0], arrow[1]);
    else if (e.key === '+' || e.key === '=') this.zoom(1.4);
    else if (e.key === '-') this.zoom(1 / 1.4);
    else if (e.key === '0') this.fit();
    else if (e.key === 'Enter') this.pinAt(this.focused, 0);
    else if (e.key === 'Escape') this.reader.pin('');
    else return;
    e.preventDefault();
  }

  /**
   * @param {number} dx
   * @param {number} dy
   */
  step(dx, dy) {
    const {layout} = this;
    if (!layout) return;
    const from = this.focused === undefined ? undefined : layout.spots.get(this.focused);
    const to = from ? layout.towards(from, dx, dy) : layout.spots.values().next().value;
    if (!to) return;
    this.focused = to.node;
    const s = layout.sizes;
    const {view} = this;
    const x = to.x * view.scale + view.left;
    const y = to.y * view.scale + view.top;
    const right = x + s.cellWidth * view.scale;
    const bottom = y + s.cellHeight * view.scale;
    if (x < 0 || right > view.width || y < 0 || bottom > view.height) {
      this.move(view.left + view.width / 2 - x, view.top + view.height / 2 - y);
    }
    this.show({
      node: to.node, x: to.x * view.scale + view.left,
      y: (to.y + s.cellHeight) * view.scale + view.top,
    }, true);
  }

  /**
   * @param {number} left
   * @param {number} top
   */
  move(left, top) {
    const {view, layout} = this;
    if (!layout) return;
    const across = layout.width * view.scale;
    const down = layout.height * view.scale;
    view.left = Math.max(Math.min(MARGIN, view.width - across - MARGIN), Math.min(left, MARGIN));
    view.top = Math.max(Math.min(MARGIN, view.height - down - MARGIN), Math.min(top, MARGIN));
    this.drawWhole();
  }

  /**
   * @param {number} factor
   * @param {number} [x]
   * @param {number} [y] what stays where it is
   */
  zoom(factor, x = this.view.width / 2, y = this.view.height / 2) {
    const {view} = this;
    const scale = Math.max(1, Math.min(MOST_ZOOM, view.scale * factor));
    const change = scale / view.scale;
    view.scale = scale;
    this.move(x - (x - view.left) * change, y - (y - view.top) * change);
  }

  fit() {
    this.view.scale = 1;
    this.move(MARGIN, MARGIN);
  }

  /** @param {MouseEvent} e */
  within(e) {
    const rect = this.box.getBoundingClientRect();
    return {x: e.clientX - rect.left, y: e.clientY - rect.top};
  }

  /** @param {MouseEvent} e */
  spotAt(e) {
    const {x, y} = this.within(e);
    const {view, layout} = this;
    const across = (x - view.left) / view.scale;
    const down = (y - view.top) / view.scale;
    return {x, y, across, down, spot: layout && layout.at(across, down)};
  }

  /** @param {MouseEvent} e */
  hover(e) {
    const {x, y, spot} = this.spotAt(e);
    this.show(spot && {node: spot.node, x, y});
  }

  /**
   * @param {{node: number, x: number, y: number} | undefined} at
   * @param {boolean} [isByKey]
   */
  show(at, isByKey = false) {
    const node = at && at.node;
    if (node !== this.hovered || at === undefined) {
      this.hovered = node;
      this.light();
    }
    this.reader.hover(at, isByKey);
  }

  /** @param {MouseEvent} e */
  click(e) {
    const {across, down, spot} = this.spotAt(e);
    if (!spot || !this.layout) {
      this.reader.pin('');
      return;
    }
    this.focused = spot.node;
    const s = this.layout.sizes;
    const column = Math.floor((across - spot.x - s.pad) / s.pitch);
    const row = Math.floor((down - spot.y - s.pad) / s.pitch);
    const isOnSquare = column >= 0 && column < s.columns && row >= 0 && row < s.rows;
    this.pinAt(spot.node, isOnSquare ? row * s.columns + column : 0);
  }

  /**
   * @param {number | undefined} id of a node
   * @param {number} square on it
   */
  pinAt(id, square) {
    const node = id === undefined ? undefined : store.state.nodes.get(id);
    if (!node) return;
    let index = 0;
    for (const [gang, devices] of [...(node.held || []), ...(node.kept || [])]) {
      index += devices;
      const known = store.state.gangs.get(gang);
      if (square >= index || gang === OTHERS || !known) continue;
      const name = nameOf(known);
      this.reader.pin(name === here().pin ? '' : name);
      return;
    }
    this.reader.pin('');
  }
}

/** @param {number} id of a node */
function gangsOn(id) {
  const node = store.state.nodes.get(id);
  return node ? [...(node.held || []), ...(node.kept || [])].map(([gang]) => gang) : [];
}
