// @ts-check
/**
 * Where the reader is: sight, filters and pinned gang, all of it in the address, so that the
 * address can be sent to a colleague and back and forward work.
 *
 * @typedef {{sight: string, namespace: string, name: string, q: string, ns: string, queue: string,
 *   pin: string, by: string, list: string, table: string, range: string}} Place
 */

/** Kept from one sight to the next. */
const PARAMETERS = ['q', 'ns', 'queue', 'pin', 'by', 'list', 'table', 'range'];
const SIGHTS = ['overview', 'map', 'line', 'queues', 'history', 'whatif'];

/** @type {Set<() => void>} */
const watchers = new Set();
/** @type {Place} */
let current = parse(location.hash);

/**
 * @param {string} hash
 * @returns {Place}
 */
export function parse(hash) {
  const [path, query] = hash.replace(/^#\/?/, '').split('?', 2);
  const parameters = new URLSearchParams(query || '');
  const parts = path.split('/').map(decoded);
  /** @type {any} */
  const place = {sight: 'overview', namespace: '', name: ''};
  if (parts[0] === 'gangs' && parts.length === 3) {
    Object.assign(place, {sight: 'gang', namespace: parts[1], name: parts[2]});
  } else if (SIGHTS.includes(parts[0])) {
    place.sight = parts[0];
  }
  for (const key of PARAMETERS) place[key] = parameters.get(key) || '';
  return place;
}

/** @param {string} part */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/**
 * @param {Partial<Place>} changes to the place where the reader is
 * @returns {string} the address
 */
export function address(changes) {
  const place = {...current, ...changes};
  const parameters = new URLSearchParams();
  for (const key of PARAMETERS) {
    const value = /** @type {any} */ (place)[key];
    if (value) parameters.set(key, value);
  }
  const path =
    place.sight === 'gang'
      ? `gangs/${encodeURIComponent(place.namespace)}/${encodeURIComponent(place.name)}`
      : place.sight === 'overview' ? '' : place.sight;
  const query = parameters.toString();
  return `#/${path}${query ? '?' + query : ''}`;
}

/** @returns {Place} */
export function here() {
  return current;
}

/**
 * @param {Partial<Place>} changes
 * @param {boolean} [quietly] without a step for the back button, as for each letter that is typed
 */
export function go(changes, quietly = false) {
  const to = address(changes);
  if (quietly) {
    history.replaceState(null, '', to);
  } else {
    history.pushState(null, '', to);
  }
  arrive();
}

/**
 * @param {string} hash an address, without a step for the back button
 */
export function goTo(hash) {
  history.replaceState(null, '', hash);
  arrive();
}

/** Goes where no name is in the address. */
export function leave() {
  goTo('#/');
}

function arrive() {
  current = parse(location.hash);
  for (const watcher of [...watchers]) watcher();
}

/** @param {() => void} watcher */
export function watchPlace(watcher) {
  watchers.add(watcher);
}

window.addEventListener('popstate', arrive);
window.addEventListener('hashchange', arrive);

/**
 * @param {Place} place
 * @returns {boolean} whether anything is filtered
 */
export function isFiltered(place) {
  return Boolean(place.q || place.ns || place.queue);
}

/**
 * @param {import('./state.js').Gang} gang
 * @param {Place} place
 */
export function passes(gang, place) {
  if (place.ns && gang.namespace !== place.ns) return false;
  if (place.queue && gang.queue !== place.queue) return false;
  if (!place.q) return true;
  const q = place.q.toLowerCase();
  return `${gang.namespace}/${gang.name}`.toLowerCase().includes(q)
    || (gang.queue || '').toLowerCase().includes(q);
}

/** @param {import('./state.js').Gang} gang */
export function nameOf(gang) {
  return `${gang.namespace}/${gang.name}`;
}
