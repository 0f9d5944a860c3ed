// @ts-check
/** Draws what is lit up: pinned gang, filters, and the node under the pointer. */
import {isFiltered, passes} from './place.js';

/**
 * What is to be lit up: the pinned gang if it has nodes, else what passes the filters.
 *
 * @param {import('./state.js').State} state
 * @param {import('./place.js').Place} place
 * @param {Set<number> | undefined} lit nodes, in place of all that
 * @returns {{gangs: Set<number>, nodes: Set<number>, named: Set<number>, isPin: boolean} | undefined}
 *   gangs, the nodes they are on, and nodes found by name; nothing if all is to be shown alike
 */
function meant(state, place, lit) {
  if (lit) return {gangs: new Set(), nodes: new Set(), named: lit, isPin: false};
  const pinned = place.pin ? state.ids.get(place.pin) : undefined;
  const isPin = pinned !== undefined && state.places.has(pinned);
  if (!isPin && !isFiltered(place)) return undefined;
  const found = {gangs: new Set(), nodes: new Set(), named: new Set(), isPin};
  for (const [id, nodes] of state.places) {
    const gang = state.gangs.get(id);
    if (!gang || !(isPin ? id === pinned : passes(gang, place))) continue;
    found.gangs.add(id);
    for (const node of nodes.keys()) found.nodes.add(node);
  }
  if (isPin || !place.q || place.ns || place.queue) return found;
  const q = place.q.toLowerCase();
  for (const node of state.nodes.values()) {
    if (node.name.toLowerCase().includes(q)) found.named.add(node.id);
  }
  return found;
}

/**
 * The veil over all that is not meant, and the frame of the node under the pointer.
 *
 * @param {import('./paint.js').Painter} painter on the canvas of highlights
 * @param {import('./place.js').Place} place
 * @param {(number | undefined)[]} pointed the nodes that pointer and keyboard are on
 * @param {Set<number> | undefined} lit nodes to be lit up, whatever is pinned
 */
export function highlight(painter, place, pointed, lit) {
  const {context, layout, state, view, palette} = painter;
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, view.width * view.dpr, view.height * view.dpr);
  const what = meant(state, place, lit);
  if (what) {
    veil(painter);
    for (const id of what.nodes) {
      const spot = layout.spots.get(id);
      const node = state.nodes.get(id);
      if (spot && node) uncover(painter, spot, node, what.gangs);
    }
    for (const id of what.named) {
      const spot = layout.spots.get(id);
      const box = spot && painter.cell(spot);
      if (box) context.clearRect(box.x, box.y, box.width, box.height);
      if (spot && lit) frame(painter, spot, palette.paper.light, 2);
    }
    const [gang] = what.gangs;
    for (const id of what.isPin ? what.nodes : []) {
      const spot = layout.spots.get(id);
      if (spot) frame(painter, spot, palette.of(gang), 1.5);
    }
  }
  for (const id of pointed) {
    const spot = id === undefined ? undefined : layout.spots.get(id);
    if (spot) frame(painter, spot, palette.paper.light, 2);
  }
}

/** @param {import('./paint.js').Painter} painter */
function veil(painter) {
  const {context, layout} = painter;
  const head = layout.sizes.rackHead;
  context.fillStyle = painter.palette.paper.veil;
  for (const block of layout.blocks) {
    for (const rack of block.racks) {
      const x = painter.x(rack.x);
      const y = painter.y(rack.y + head);
      context.fillRect(x, y, painter.x(rack.x + rack.width) - x, painter.y(rack.y + rack.height) - y);
    }
  }
}

/**
 * @param {import('./paint.js').Painter} painter
 * @param {import('./layout.js').Spot} spot
 * @param {import('./state.js').Node} node
 * @param {Set<number>} gangs
 */
function uncover(painter, spot, node, gangs) {
  const {context} = painter;
  const box = painter.cell(spot);
  const shares = [...(node.held || []), ...(node.kept || [])];
  let index = 0;
  for (const [gang, devices] of shares) {
    const isMeant = gangs.has(gang);
    if (isMeant && painter.isCoarse) {
      const from = Math.round((index * box.width) / node.devices);
      const to = Math.round(((index + devices) * box.width) / node.devices);
      context.clearRect(box.x + from, box.y, to - from, box.height);
    }
    for (let i = 0; isMeant && !painter.isCoarse && i < devices && index + i < node.devices; i++) {
      const {x, y, side} = painter.square(spot, index + i);
      context.clearRect(x, y, side, side);
    }
    index += devices;
  }
}

/**
 * @param {import('./paint.js').Painter} painter
 * @param {import('./layout.js').Spot} spot
 * @param {string} colour
 * @param {number} width
 */
function frame(painter, spot, colour, width) {
  const {context} = painter;
  const line = width * painter.view.dpr;
  const box = painter.cell(spot);
  context.strokeStyle = colour;
  context.lineWidth = line;
  context.strokeRect(box.x - line / 2, box.y - line / 2, box.width + line, box.height + line);
}
