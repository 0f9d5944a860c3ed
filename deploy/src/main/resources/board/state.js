// @ts-check
/**
 * What the page knows of the cluster, with the indexes that keep a change cheap: the cost of a
 * change is that of what it names, never of all nodes or gangs.
 *
 * @typedef {{id: number, name: string, block?: string, rack?: string, state: string,
 *   tainted?: boolean, device?: string, devices: number, held?: number[][], kept?: number[][]}} Node
 * @typedef {{p50: string, p90?: string, after?: string}} Expected
 * @typedef {{id: number, namespace: string, name: string, queue?: string, priority: number,
 *   phase: string, position?: number, members: number, minAvailable: number, bound: number,
 *   devices?: number, since?: string, reason: string, message: string, remedy?: string,
 *   expected?: Expected}} Gang
 * @typedef {{name: string, quota?: number, limit?: number, used: number, borrowed: number,
 *   lent: number, asked: number, waiting: number}} Queue
 * @typedef {{kind: string, name: string, led: boolean, released: boolean, namespace?: string,
 *   left?: string[], stale?: string}} Source
 * @typedef {{devices: number, used: number, kept: number, free: number, stranded: number}} Totals
 * @typedef {{held: number, kept: number}} Share devices of one gang on one node
 */

/** What has changed since the last time it was asked for. */
export class Touched {
  constructor() {
    /** @type {Set<string>} of whole, link, time, source, totals, queues, nodes, gangs */
    this.topics = new Set();
    /** @type {Set<number>} */
    this.nodes = new Set();
    /** @type {Set<number>} */
    this.gangs = new Set();
  }
}

export class State {
  constructor() {
    this.run = '';
    this.forget();
  }

  forget() {
    this.number = 0;
    this.asOf = '';
    /** @type {Source | undefined} */
    this.source = undefined;
    /** @type {Totals | undefined} */
    this.totals = undefined;
    /** @type {{name: string, devices: number, free: number}[]} */
    this.devices = [];
    /** @type {Queue[]} */
    this.queues = [];
    /** @type {Map<number, Node>} */
    this.nodes = new Map();
    /** @type {Map<number, Gang>} */
    this.gangs = new Map();
    /** @type {Map<string, number>} namespace/name to the id of the gang */
    this.ids = new Map();
    /** Names that more than one gang has had at a time. */
    this.doubles = new Set();
    /** @type {Map<number, Map<number, Share>>} gang to its nodes */
    this.places = new Map();
  }

  /**
   * @param {any} view
   * @param {Touched} touched
   */
  takeWhole(view, touched) {
    this.forget();
    this.run = view.run;
    this.takeParts(view, touched);
    for (const gang of view.gangs || []) this.takeGang(gang, touched);
    for (const node of view.nodes || []) this.takeNode(node, touched);
    for (const topic of ['whole', 'source', 'totals', 'queues', 'nodes', 'gangs']) {
      touched.topics.add(topic);
    }
  }

  /**
   * @param {any} change whose number is the next one
   * @param {Touched} touched
   */
  takeChange(change, touched) {
    this.takeParts(change, touched);
    const gone = change.gone || {};
    for (const id of gone.nodes || []) this.dropNode(id, touched);
    for (const id of gone.gangs || []) this.dropGang(id, touched);
    for (const gang of change.gangs || []) this.takeGang(gang, touched);
    for (const node of change.nodes || []) this.takeNode(node, touched);
  }

  /**
   * @param {any} parts
   * @param {Touched} touched
   */
  takeParts(parts, touched) {
    this.number = parts.number;
    this.asOf = parts.asOf || this.asOf;
    if (parts.source) {
      this.source = parts.source;
      touched.topics.add('source');
    }
    if (parts.totals) {
      this.totals = parts.totals;
      touched.topics.add('totals');
    }
    if (parts.devices) {
      this.devices = parts.devices;
      touched.topics.add('totals');
    }
    if (parts.queues) {
      this.queues = parts.queues;
      touched.topics.add('queues');
    }
  }

  /**
   * @param {Gang} gang
   * @param {Touched} touched
   */
  takeGang(gang, touched) {
    this.gangs.set(gang.id, gang);
    const name = gang.namespace + '/' + gang.name;
    const known = this.gangNamed(name);
    // Of two dialects there may be two of one name: what is over is not what is asked for.
    if (!known || known.id === gang.id || gang.phase !== 'Finished') this.ids.set(name, gang.id);
    if (known && known.id !== gang.id) this.doubles.add(name);
    touched.gangs.add(gang.id);
    touched.topics.add('gangs');
  }

  /**
   * @param {number} id
   * @param {Touched} touched
   */
  dropGang(id, touched) {
    const gang = this.gangs.get(id);
    if (!gang) return;
    this.gangs.delete(id);
    const name = gang.namespace + '/' + gang.name;
    // A gang made anew under the same name has another id, and may have come first.
    if (this.ids.get(name) === id) {
      this.ids.delete(name);
      if (this.doubles.delete(name)) {
        for (const other of this.gangs.values()) {
          if (other.name === gang.name && other.namespace === gang.namespace) this.ids.set(name, other.id);
        }
      }
    }
    touched.gangs.add(id);
    touched.topics.add('gangs');
  }

  /**
   * @param {Node} node
   * @param {Touched} touched
   */
  takeNode(node, touched) {
    const before = this.nodes.get(node.id);
    if (before) this.unplace(before);
    this.nodes.set(node.id, node);
    for (const [gang, devices] of node.held || []) this.share(gang, node.id).held += devices;
    for (const [gang, devices] of node.kept || []) this.share(gang, node.id).kept += devices;
    touched.nodes.add(node.id);
    touched.topics.add('nodes');
  }

  /**
   * @param {number} id
   * @param {Touched} touched
   */
  dropNode(id, touched) {
    const node = this.nodes.get(id);
    if (!node) return;
    this.unplace(node);
    this.nodes.delete(id);
    touched.nodes.add(id);
    touched.topics.add('nodes');
  }

  /**
   * @param {number} gang
   * @param {number} node
   * @returns {Share}
   */
  share(gang, node) {
    let places = this.places.get(gang);
    if (!places) this.places.set(gang, (places = new Map()));
    let share = places.get(node);
    if (!share) places.set(node, (share = {held: 0, kept: 0}));
    return share;
  }

  /** @param {Node} node */
  unplace(node) {
    for (const [gang] of [...(node.held || []), ...(node.kept || [])]) {
      const places = this.places.get(gang);
      if (!places) continue;
      places.delete(node.id);
      if (places.size === 0) this.places.delete(gang);
    }
  }

  /**
   * @param {string} name namespace/name
   * @returns {Gang | undefined}
   */
  gangNamed(name) {
    const id = this.ids.get(name);
    return id === undefined ? undefined : this.gangs.get(id);
  }
}

/** @param {Node} node */
export function freeDevices(node) {
  let free = node.devices;
  for (const [, devices] of node.held || []) free -= devices;
  for (const [, devices] of node.kept || []) free -= devices;
  return Math.max(0, free);
}

/**
 * Who has devices of a node, in words.
 *
 * @param {State} state
 * @param {Node} node
 */
export function shares(state, node) {
  const share = (/** @type {number[]} */ [id, devices], /** @type {boolean} */ isKept) => {
    const gang = state.gangs.get(id);
    const others = isKept ? 'not known for whom' : 'others';
    return {id, devices, isKept, text: gang ? `${gang.namespace}/${gang.name}` : others};
  };
  return [
    ...(node.held || []).map((held) => share(held, false)),
    ...(node.kept || []).map((kept) => share(kept, true)),
  ];
}
