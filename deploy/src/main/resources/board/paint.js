// @ts-check
/**
 * Draws nodes on a canvas. Rectangles are collected by colour first, since a change of colour costs
 * more than a rectangle; edges are rounded to device pixels, so that a node can be drawn again
 * alone and leaves no seam.
 *
 * @typedef {{scale: number, left: number, top: number, dpr: number, width: number,
 *   height: number}} View in CSS pixels
 */
import {freeDevices} from './state.js';

/** Below this many CSS pixels from device to device, a node is one cell with a share of colours. */
const LEAST_PITCH = 4;
const LEAST_FONT = 8.5;

export class Painter {
  /**
   * @param {CanvasRenderingContext2D} context
   * @param {import('./layout.js').Layout} layout
   * @param {import('./state.js').State} state
   * @param {import('./colours.js').Palette} palette
   * @param {View} view
   */
  constructor(context, layout, state, palette, view) {
    this.context = context;
    this.layout = layout;
    this.state = state;
    this.palette = palette;
    this.view = view;
    this.unit = view.scale * view.dpr;
    this.isCoarse = layout.sizes.pitch * view.scale < LEAST_PITCH;
    const s = layout.sizes;
    this.side = Math.max(1, Math.round(s.square * this.unit));
    const steps = Math.max(s.columns, s.rows);
    /** Where the squares are in a cell, alike for all nodes. */
    this.steps = Array.from({length: steps}, (_, i) => Math.round((s.pad + i * s.pitch) * this.unit));
    /** @type {Map<string, number[]>} */
    this.ground = new Map();
    /** @type {Map<string, number[]>} */
    this.fills = new Map();
    /** @type {Map<string, number[]>} on top of fills */
    this.inner = new Map();
    /** @type {(() => void)[]} */
    this.later = [];
  }

  whole() {
    const {context, view} = this;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, view.width * view.dpr, view.height * view.dpr);
    for (const spot of this.layout.spots.values()) this.node(spot);
    this.flush();
    this.headings();
  }

  /** @param {Iterable<number>} ids of nodes that have a place in this layout */
  again(ids) {
    for (const id of ids) {
      const spot = this.layout.spots.get(id);
      if (!spot) continue;
      const {x, y, width, height} = this.cell(spot);
      this.context.clearRect(x, y, width, height);
      this.node(spot);
    }
    this.flush();
  }

  /** @param {number} x */
  x(x) {
    return Math.round((x * this.view.scale + this.view.left) * this.view.dpr);
  }

  /** @param {number} y */
  y(y) {
    return Math.round((y * this.view.scale + this.view.top) * this.view.dpr);
  }

  /** @param {import('./layout.js').Spot} spot */
  cell(spot) {
    const s = this.layout.sizes;
    const x = this.x(spot.x);
    const y = this.y(spot.y);
    return {
      x, y,
      width: Math.max(1, this.x(spot.x + s.cellWidth) - x),
      height: Math.max(1, this.y(spot.y + s.cellHeight) - y),
    };
  }

  /**
   * @param {import('./layout.js').Spot} spot
   * @param {number} index of the device square
   */
  square(spot, index) {
    const {columns} = this.layout.sizes;
    return {
      x: this.x(spot.x) + this.steps[index % columns],
      y: this.y(spot.y) + this.steps[Math.floor(index / columns)],
      side: this.side,
    };
  }

  /** @param {import('./layout.js').Spot} spot */
  node(spot) {
    const node = this.state.nodes.get(spot.node);
    if (!node) return;
    const box = this.cell(spot);
    const {dpr, width, height} = this.view;
    if (box.x > width * dpr || box.y > height * dpr) return;
    if (box.x + box.width < 0 || box.y + box.height < 0) return;
    push(this.ground, this.palette.paper.cell, box.x, box.y, box.width, box.height);
    if (this.isCoarse) this.shares(node, box);
    else this.squares(node, spot);
    if (node.state !== 'Ready' || node.tainted) this.later.push(() => this.mark(node, box));
    if (this.layout.sizes.named) this.later.push(() => this.name(node, box));
  }

  /**
   * @param {import('./state.js').Node} node
   * @param {import('./layout.js').Spot} spot
   */
  squares(node, spot) {
    let index = 0;
    for (const [gang, devices] of node.held || []) {
      const colour = this.palette.of(gang);
      for (let i = 0; i < devices && index < node.devices; i++, index++) {
        const {x, y, side} = this.square(spot, index);
        push(this.fills, colour, x, y, side, side);
      }
    }
    for (const [gang, devices] of node.kept || []) {
      const colour = this.palette.of(gang);
      for (let i = 0; i < devices && index < node.devices; i++, index++) {
        const {x, y, side} = this.square(spot, index);
        this.later.push(() => this.outline(colour, x, y, side));
      }
    }
    for (; index < node.devices; index++) {
      const {x, y, side} = this.square(spot, index);
      this.free(x, y, side, side);
    }
  }

  /**
   * What is free has a colour where that is asked for, else an outline.
   *
   * @param {number} x
   * @param {number} y
   * @param {number} width
   * @param {number} height
   */
  free(x, y, width, height) {
    const {mode, paper} = this.palette;
    if (mode === 'free') {
      push(this.fills, paper.room, x, y, width, height);
      return;
    }
    const edge = Math.max(1, Math.round(this.view.dpr));
    const across = width >= 3 * edge ? edge : 0;
    const down = height >= 3 * edge ? edge : 0;
    push(this.fills, paper.freeEdge, x, y, width, height);
    if (across || down) push(this.inner, paper.free, x + across, y + down, width - 2 * across, height - 2 * down);
  }

  /**
   * @param {import('./state.js').Node} node
   * @param {{x: number, y: number, width: number, height: number}} box
   */
  shares(node, box) {
    const room = Math.max(1, box.width);
    let done = 0;
    const stripe = (/** @type {number} */ devices, /** @type {string} */ colour, half = false) => {
      const from = Math.round((done * room) / node.devices);
      done = Math.min(node.devices, done + devices);
      const to = Math.round((done * room) / node.devices);
      const height = half ? Math.ceil(box.height / 2) : box.height;
      if (to > from) push(this.fills, colour, box.x + from, box.y + box.height - height, to - from, height);
    };
    for (const [gang, devices] of node.held || []) stripe(devices, this.palette.of(gang));
    for (const [gang, devices] of node.kept || []) stripe(devices, this.palette.of(gang), true);
    const from = Math.round((done * room) / node.devices);
    if (freeDevices(node) > 0 && from < room) this.free(box.x + from, box.y, room - from, box.height);
  }

  flush() {
    for (const fills of [this.ground, this.fills, this.inner]) {
      for (const [colour, at] of fills) {
        this.context.fillStyle = colour;
        for (let i = 0; i < at.length; i += 4) {
          this.context.fillRect(at[i], at[i + 1], at[i + 2], at[i + 3]);
        }
      }
      fills.clear();
    }
    for (const draw of this.later) draw();
    this.later.length = 0;
  }

  /**
   * @param {string} colour
   * @param {number} x
   * @param {number} y
   * @param {number} side
   */
  outline(colour, x, y, side) {
    const {context} = this;
    const line = Math.max(1, Math.round(1.5 * this.view.dpr));
    const dash = Math.max(2, side / 5);
    context.strokeStyle = colour;
    context.lineWidth = line;
    context.setLineDash([dash, dash]);
    context.strokeRect(x + line / 2, y + line / 2, side - line, side - line);
    context.setLineDash([]);
  }

  /**
   * Hatch and symbol for a state, so that it does not hang on colour.
   *
   * @param {{state: string, tainted?: boolean}} node
   * @param {{x: number, y: number, width: number, height: number}} box
   */
  mark(node, box) {
    const {context} = this;
    const {dpr} = this.view;
    const {paper} = this.palette;
    const colour = node.state === 'NotReady' ? paper.alarm : paper.hatch;
    context.save();
    context.beginPath();
    const named = this.layout.sizes.named * this.unit;
    context.rect(box.x, box.y, box.width, box.height - named);
    context.clip();
    context.lineWidth = dpr;
    context.strokeStyle = colour;
    if (node.state !== 'Ready') {
      const step = Math.max(3, Math.min(6, box.height / dpr / 3)) * dpr;
      context.beginPath();
      for (let at = -box.height; at < box.width + box.height; at += step) {
        if (node.state !== 'Leaving') line(context, box.x + at, box.y + box.height, box.x + at + box.height, box.y);
        if (node.state !== 'Cordoned') line(context, box.x + at, box.y, box.x + at + box.height, box.y + box.height);
      }
      context.stroke();
      context.strokeRect(box.x + dpr / 2, box.y + dpr / 2, box.width - dpr, box.height - named - dpr);
    }
    if (node.tainted) {
      const side = Math.min(8 * dpr, box.height / 2);
      context.fillStyle = paper.hatch;
      context.beginPath();
      context.moveTo(box.x, box.y);
      context.lineTo(box.x + side, box.y);
      context.lineTo(box.x, box.y + side);
      context.fill();
    }
    if (node.state !== 'Ready' && box.height >= 14 * dpr && box.width >= 14 * dpr) {
      this.symbol(node.state, colour, box.x + box.width - 7 * dpr, box.y + 7 * dpr, dpr);
    }
    context.restore();
  }

  /**
   * @param {string} state
   * @param {string} colour
   * @param {number} x
   * @param {number} y
   * @param {number} dpr
   */
  symbol(state, colour, x, y, dpr) {
    const {context} = this;
    context.fillStyle = colour;
    context.beginPath();
    context.arc(x, y, 6 * dpr, 0, 2 * Math.PI);
    context.fill();
    context.strokeStyle = this.palette.paper.panel;
    context.lineWidth = 1.6 * dpr;
    const r = 2.4 * dpr;
    context.beginPath();
    if (state === 'NotReady') {
      line(context, x - r, y - r, x + r, y + r);
      line(context, x - r, y + r, x + r, y - r);
    } else if (state === 'Cordoned') {
      line(context, x - r / 1.6, y - r, x - r / 1.6, y + r);
      line(context, x + r / 1.6, y - r, x + r / 1.6, y + r);
    } else {
      line(context, x - r * 1.2, y, x + r * 1.2, y);
      line(context, x, y - r, x + r * 1.2, y);
      line(context, x, y + r, x + r * 1.2, y);
    }
    context.stroke();
  }

  /**
   * The end of the name, since that is what tells nodes apart.
   *
   * @param {import('./state.js').Node} node
   * @param {{x: number, y: number, width: number, height: number}} box
   */
  name(node, box) {
    const font = 10 * this.view.scale;
    if (font < LEAST_FONT) return;
    const inset = this.layout.sizes.pad * this.unit;
    const room = box.width - 2 * inset;
    const letters = Math.max(2, Math.floor(room / (font * this.view.dpr * 0.56)));
    const all = [...node.name];
    const name = all.length > letters ? '…' + all.slice(1 - letters).join('') : node.name;
    this.text(name, box.x + inset, box.y + box.height - 3 * this.unit, font, this.palette.paper.ink, room);
  }

  /**
   * @param {string} text
   * @param {number} x
   * @param {number} y
   * @param {number} font in CSS pixels
   * @param {string} colour
   * @param {number} room
   * @param {number} [weight]
   */
  text(text, x, y, font, colour, room, weight = 400) {
    const {context} = this;
    context.font = `${weight} ${font * this.view.dpr}px system-ui, sans-serif`;
    context.direction = 'ltr';
    context.textBaseline = 'alphabetic';
    context.fillStyle = colour;
    context.fillText(text, x, y, Math.max(1, room));
  }

  headings() {
    const s = this.layout.sizes;
    const {scale, dpr} = this.view;
    const {paper} = this.palette;
    for (const block of this.layout.blocks) {
      const font = Math.min(16, 12 * Math.max(1, scale));
      if (block.name) {
        const room = block.width * this.unit;
        const name = shortened(block.name, room / dpr / font / 0.6);
        this.text(name, this.x(block.x), this.y(block.y + s.blockHead) - 7 * dpr, font, paper.ink, room, 600);
      }
      const small = Math.min(13, (s.rackHead - 4) * scale);
      if (small < LEAST_FONT) continue;
      for (const rack of block.racks) {
        const room = rack.width * this.unit;
        const name = shortened(rack.name, room / dpr / small / 0.56);
        this.text(name, this.x(rack.x), this.y(rack.y + s.rackHead) - 4 * dpr, small, paper.muted, room);
      }
    }
  }
}

/**
 * @param {string} name
 * @param {number} letters
 */
function shortened(name, letters) {
  const all = [...name];
  return all.length > letters ? all.slice(0, Math.max(1, Math.floor(letters) - 1)).join('') + '…' : name;
}

/**
 * @param {Map<string, number[]>} fills
 * @param {string} colour
 * @param {number} x
 * @param {number} y
 * @param {number} width
 * @param {number} height
 */
function push(fills, colour, x, y, width, height) {
  let at = fills.get(colour);
  if (!at) fills.set(colour, (at = []));
  at.push(x, y, width, height);
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {number} x1
 * @param {number} y1
 * @param {number} x2
 * @param {number} y2
 */
function line(context, x1, y1, x2, y2) {
  context.moveTo(x1, y1);
  context.lineTo(x2, y2);
}
