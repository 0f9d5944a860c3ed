// @ts-check
/**
 * Where each node is on the map: nodes in racks, racks in blocks, as large as the room allows.
 * Lengths are CSS pixels at zoom 1.
 *
 * @typedef {{node: number, x: number, y: number, rack: Rack, index: number}} Spot
 * @typedef {{name: string, block: string, nodes: import('./state.js').Node[], spots: Spot[],
 *   x: number, y: number, columns: number, width: number, height: number}} Rack
 * @typedef {{name: string, racks: Rack[], x: number, y: number, width: number,
 *   height: number}} Block
 * @typedef {{rack: number, block: number}} Shape width by height
 * @typedef {{pitch: number, square: number, pad: number, gap: number, columns: number,
 *   rows: number, cellWidth: number, cellHeight: number, named: number, blockHead: number,
 *   rackHead: number, rackGap: number, blockGap: number}} Sizes
 */

const LARGEST = 28;
const SMALLEST = 0.5;
/** Shapes that are tried, as width by height. */
const RACK_SHAPES = [1, 2, 4, 0.5, 8];
const BLOCK_SHAPES = [1, 2, 4];

export class Layout {
  /**
   * @param {Iterable<import('./state.js').Node>} nodes
   * @param {number} width
   * @param {number} height
   */
  constructor(nodes, width, height) {
    this.blocks = grouped(nodes);
    this.hasBlocks = this.blocks.some((block) => block.name);
    this.hasRacks = this.blocks.some((block) => block.racks.some((rack) => rack.name));
    let most = 1;
    for (const block of this.blocks) {
      for (const rack of block.racks) for (const node of rack.nodes) most = Math.max(most, node.devices);
    }
    this.columns = most <= 4 ? Math.ceil(most / Math.ceil(most / 4)) : most <= 16 ? 4 : 8;
    this.rows = Math.ceil(most / this.columns);
    const best = this.best(width, height);
    this.sizes = this.sizesAt(best.pitch);
    this.height = this.flow(this.sizes, best.shape, width);
    this.width = width;
    /** @type {Map<number, Spot>} */
    this.spots = new Map();
    for (const block of this.blocks) for (const rack of block.racks) this.place(rack);
  }

  /**
   * @param {number} width
   * @param {number} height
   */
  best(width, height) {
    let best = {pitch: SMALLEST, shape: {rack: 1, block: 1}};
    for (const rack of RACK_SHAPES) {
      for (const block of BLOCK_SHAPES) {
        const shape = {rack, block};
        const fits = (/** @type {number} */ pitch) => this.flow(this.sizesAt(pitch), shape, width) <= height;
        let low = best.pitch;
        let high = LARGEST;
        if (!fits(low + 0.1)) continue;
        while (high - low > 0.2) {
          const pitch = (low + high) / 2;
          if (fits(pitch)) low = pitch;
          else high = pitch;
        }
        best = {pitch: low, shape};
      }
    }
    return best;
  }

  /**
   * @param {number} pitch from one device square to the next
   * @returns {Sizes}
   */
  sizesAt(pitch) {
    const pad = pitch >= 9 ? 4 : pitch >= 6 ? 2 : pitch >= 3 ? 1 : 0;
    const space = pitch >= 9 ? 2 : pitch >= 5 ? 1 : 0.5;
    const named = pitch >= 13 ? 14 : 0;
    return {
      pitch, square: pitch - space, pad, gap: pitch >= 9 ? 5 : pitch >= 6 ? 3 : 1,
      columns: this.columns, rows: this.rows, named,
      cellWidth: this.columns * pitch - space + 2 * pad,
      cellHeight: this.rows * pitch - space + 2 * pad + named,
      blockHead: this.hasBlocks ? (pitch >= 4 ? 20 : 16) : 0,
      rackHead: this.hasRacks ? Math.min(15, pitch * 1.5) : 0,
      rackGap: Math.min(12, 2 + pitch / 1.5), blockGap: Math.min(22, 6 + pitch),
    };
  }

  /**
   * Puts blocks on shelves from left to right.
   *
   * @param {Sizes} s
   * @param {Shape} shape
   * @param {number} width
   * @returns {number} the height of all
   */
  flow(s, shape, width) {
    let x = 0;
    let y = 0;
    let shelf = 0;
    for (const block of this.blocks) {
      this.shapeBlock(block, s, shape, width);
      if (x > 0 && x + block.width > width) {
        x = 0;
        y += shelf + s.blockGap;
        shelf = 0;
      }
      block.x = x;
      block.y = y;
      x += block.width + s.blockGap;
      shelf = Math.max(shelf, block.height);
    }
    return y + shelf;
  }

  /**
   * @param {Block} block
   * @param {Sizes} s
   * @param {Shape} shape
   * @param {number} width
   */
  shapeBlock(block, s, shape, width) {
    const stepX = s.cellWidth + s.gap;
    const stepY = s.cellHeight + s.gap;
    const most = Math.max(1, Math.floor((width + s.gap) / stepX));
    let area = 0;
    for (const rack of block.racks) {
      const size = rack.nodes.length;
      const columns = Math.round(Math.sqrt((size * shape.rack * stepY) / stepX));
      rack.columns = Math.max(1, Math.min(columns, size, most));
      rack.width = rack.columns * stepX - s.gap;
      rack.height = s.rackHead + Math.ceil(size / rack.columns) * stepY - s.gap;
      area += (rack.width + s.rackGap) * (rack.height + s.rackGap);
    }
    const wanted = Math.min(width, Math.sqrt(area * shape.block) + s.rackGap);
    let x = 0;
    let y = s.blockHead;
    let shelf = 0;
    let widest = 0;
    for (const rack of block.racks) {
      if (x > 0 && x + rack.width > wanted) {
        x = 0;
        y += shelf + s.rackGap;
        shelf = 0;
      }
      rack.x = x;
      rack.y = y;
      x += rack.width + s.rackGap;
      widest = Math.max(widest, x - s.rackGap);
      shelf = Math.max(shelf, rack.height);
    }
    block.width = Math.max(widest, Math.min(width, s.blockHead * 4));
    block.height = y + shelf;
  }

  /** @param {Rack} rack whose block has its place */
  place(rack) {
    const s = this.sizes;
    const block = this.blocks.find((candidate) => candidate.name === rack.block);
    if (!block) return;
    rack.x += block.x;
    rack.y += block.y;
    rack.spots = rack.nodes.map((node, index) => ({
      node: node.id, rack, index,
      x: rack.x + (index % rack.columns) * (s.cellWidth + s.gap),
      y: rack.y + s.rackHead + Math.floor(index / rack.columns) * (s.cellHeight + s.gap),
    }));
    for (const spot of rack.spots) this.spots.set(spot.node, spot);
  }

  /**
   * @param {Spot} spot
   * @returns {number[]} the nodes beside, above and below
   */
  neighbours(spot) {
    const {rack, index} = spot;
    return [index - 1, index + 1, index - rack.columns, index + rack.columns]
      .filter((i) => i >= 0 && i < rack.spots.length)
      .map((i) => rack.spots[i].node);
  }

  /**
   * @param {number} x
   * @param {number} y
   * @returns {Spot | undefined}
   */
  at(x, y) {
    const s = this.sizes;
    for (const block of this.blocks) {
      if (x < block.x || y < block.y || x > block.x + block.width || y > block.y + block.height) continue;
      for (const rack of block.racks) {
        const column = Math.floor((x - rack.x) / (s.cellWidth + s.gap));
        const row = Math.floor((y - rack.y - s.rackHead) / (s.cellHeight + s.gap));
        if (column < 0 || row < 0 || column >= rack.columns) continue;
        const spot = rack.spots[row * rack.columns + column];
        if (spot && x <= spot.x + s.cellWidth && y <= spot.y + s.cellHeight) return spot;
      }
    }
    return undefined;
  }

  /**
   * The next node in a direction, nearest first.
   *
   * @param {Spot} from
   * @param {number} dx
   * @param {number} dy
   */
  towards(from, dx, dy) {
    let best;
    let least = Infinity;
    for (const spot of this.spots.values()) {
      const along = (spot.x - from.x) * dx + (spot.y - from.y) * dy;
      if (along <= 0.5) continue;
      const aside = Math.abs((spot.x - from.x) * dy) + Math.abs((spot.y - from.y) * dx);
      const distance = along + 3 * aside;
      if (distance < least) {
        least = distance;
        best = spot;
      }
    }
    return best;
  }
}

/**
 * @param {Iterable<import('./state.js').Node>} nodes
 * @returns {Block[]}
 */
function grouped(nodes) {
  /** @type {Map<string, Map<string, import('./state.js').Node[]>>} */
  const blocks = new Map();
  for (const node of nodes) {
    if (node.devices === 0) continue;
    const racks = entry(blocks, node.block || '', () => new Map());
    entry(racks, node.rack || '', () => []).push(node);
  }
  const at = {x: 0, y: 0, width: 0, height: 0};
  return ordered([...blocks], ([name]) => name).map(([name, racks]) => ({
    ...at,
    name,
    racks: ordered([...racks], ([rack]) => rack).map(([rack, inRack]) => ({
      ...at, name: rack, block: name, columns: 1, spots: [],
      nodes: ordered(inRack, (node) => node.name),
    })),
  }));
}

/**
 * @template K, V
 * @param {Map<K, V>} map
 * @param {K} key
 * @param {() => V} make
 * @returns {V}
 */
function entry(map, key, make) {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make()));
  return value;
}

/**
 * By name, gpu-9 before gpu-10. Keys are made once: a Collator costs ten times as much here.
 *
 * @template T
 * @param {T[]} items
 * @param {(item: T) => string} name
 * @returns {T[]}
 */
export function ordered(items, name) {
  return items
    .map((item) => ({item, key: name(item).replace(/\d+/g, (digits) => digits.padStart(10, '0'))}))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({item}) => item);
}
