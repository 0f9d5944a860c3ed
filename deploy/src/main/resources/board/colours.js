// @ts-check
/** Which colour a gang, queue, namespace, priority or age has on the map. */

/** Each stands 3:1 against the panel of its theme; neighbours in the list differ most. */
export const HUES = {
  light: ['#b02a2d', '#05a388', '#913797', '#8a9500', '#325ac2', '#d16e0d',
    '#02717a', '#d85891', '#06791f', '#9572e7', '#7d5e07', '#0497d2'],
  dark: ['#df6862', '#09dcb8', '#bf6fc4', '#bbc949', '#648eed', '#fea668',
    '#13a5b2', '#ff99c2', '#4ea954', '#c3b0fd', '#b88a01', '#6cc9fd'],
};
/** From little to much. */
const RAMPS = {
  light: ['#5a91d7', '#4076b9', '#255b9c', '#064180', '#002756'],
  dark: ['#3a70b3', '#548bd0', '#6fa7ee', '#97c4fe', '#d0e3fc'],
};
/** What means something stands 3:1 against the cell it is in. */
const PAPERS = {
  light: {
    panel: '#ffffff', cell: '#eef1f5', edge: '#c3cad4', free: '#ffffff', freeEdge: '#7a8592',
    others: '#6f7a88', neutral: '#7e8996', room: '#0b8043', ink: '#1a2029', muted: '#566070',
    hatch: '#5b6573', alarm: '#b3261e', veil: 'rgba(255,255,255,0.78)', light: '#10151c',
  },
  dark: {
    panel: '#151a21', cell: '#222a35', edge: '#3a4554', free: '#151a21', freeEdge: '#717d8e',
    others: '#8b96a5', neutral: '#6b7788', room: '#4cc38a', ink: '#e6eaf0', muted: '#9aa6b6',
    hatch: '#a5b0be', alarm: '#ff8a80', veil: 'rgba(21,26,33,0.8)', light: '#ffffff',
  },
};

export const MODES = ['gang', 'queue', 'namespace', 'priority', 'age', 'free'];
/** Devices of pods of no gang, or of gangs that the reader may not see. */
export const OTHERS = -1;

const HOUR = 3600000;
export const AGES = [
  {label: 'under 1 h', millis: HOUR},
  {label: 'under 6 h', millis: 6 * HOUR},
  {label: 'under 1 d', millis: 24 * HOUR},
  {label: 'under 3 d', millis: 72 * HOUR},
  {label: 'longer', millis: Infinity},
];

/**
 * FNV-1a, so that a name has the same hue on each page.
 *
 * @param {string} text
 */
export function hueOf(text) {
  let hash = 2166136261;
  for (let i = 0; i < text.length; i++) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
  }
  return (hash >>> 0) % HUES.light.length;
}

/** The hues of gangs that have nodes, so that neighbours differ. */
export class GangHues {
  constructor() {
    /** @type {Map<number, number>} */
    this.hues = new Map();
  }

  /**
   * The hue by name, or the next one that none of the neighbours has.
   *
   * @param {number} id
   * @param {string} name
   * @param {Set<number>} neighbours their ids
   */
  assign(id, name, neighbours) {
    if (this.hues.has(id) || id === OTHERS) return;
    const taken = new Set();
    for (const other of neighbours) if (other !== id) taken.add(this.hues.get(other));
    const size = HUES.light.length;
    let hue = hueOf(name);
    for (let tries = 0; taken.has(hue) && tries < size; tries++) hue = (hue + 1) % size;
    this.hues.set(id, hue);
  }

  /** @param {number} id */
  forget(id) {
    this.hues.delete(id);
  }

  clear() {
    this.hues.clear();
  }
}

export const gangHues = new GangHues();

/**
 * The colours of one whole draw.
 */
export class Palette {
  /**
   * @param {'light' | 'dark'} theme
   * @param {string} mode
   * @param {import('./state.js').State} state
   * @param {number} now
   */
  constructor(theme, mode, state, now) {
    this.paper = PAPERS[theme];
    this.hues = HUES[theme];
    this.ramp = RAMPS[theme];
    this.mode = mode;
    this.state = state;
    this.now = now;
    this.priorities = mode === 'priority' ? distinct(state, (gang) => gang.priority) : [];
  }

  /** @param {number} id of a gang */
  of(id) {
    if (this.mode === 'free') return this.paper.neutral;
    const gang = this.state.gangs.get(id);
    if (id === OTHERS || !gang) return this.paper.others;
    switch (this.mode) {
      case 'queue':
        return gang.queue ? this.hues[hueOf(gang.queue)] : this.paper.others;
      case 'namespace':
        return this.hues[hueOf(gang.namespace)];
      case 'priority':
        return this.step(this.priorities.indexOf(gang.priority), this.priorities.length);
      case 'age':
        return this.ramp[ageOf(gang, this.now)];
      default:
        return this.hues[gangHues.hues.get(id) ?? hueOf(`${gang.namespace}/${gang.name}`)];
    }
  }

  /**
   * @param {number} index of an ascending list
   * @param {number} length
   */
  step(index, length) {
    const last = this.ramp.length - 1;
    if (index < 0) return this.paper.others;
    return this.ramp[length < 2 ? last : Math.round((index * last) / (length - 1))];
  }

  /** @returns {{label: string, colour: string}[]} what the colours of this mode mean */
  legend() {
    const hue = (/** @type {string} */ name) => ({label: name, colour: this.hues[hueOf(name)]});
    switch (this.mode) {
      case 'queue':
        return distinct(this.state, (gang) => gang.queue).filter(Boolean).map(hue);
      case 'namespace':
        return distinct(this.state, (gang) => gang.namespace).map(hue);
      case 'priority':
        return this.priorities.map((priority, i) => ({
          label: String(priority), colour: this.step(i, this.priorities.length),
        }));
      case 'age':
        return AGES.map((age, i) => ({label: age.label, colour: this.ramp[i]}));
      default:
        return [];
    }
  }
}

/**
 * @param {import('./state.js').Gang} gang
 * @param {number} now
 */
function ageOf(gang, now) {
  const age = now - Date.parse(gang.since || '');
  const index = AGES.findIndex((step) => age < step.millis);
  return index < 0 ? AGES.length - 1 : index;
}

/**
 * Of gangs that have nodes.
 *
 * @template T
 * @param {import('./state.js').State} state
 * @param {(gang: import('./state.js').Gang) => T} value
 * @returns {T[]} ascending
 */
function distinct(state, value) {
  const values = new Set();
  for (const id of state.places.keys()) {
    const gang = state.gangs.get(id);
    if (gang) values.add(value(gang));
  }
  return [...values].sort((a, b) => (a < b ? -1 : 1));
}
