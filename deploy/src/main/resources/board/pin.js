// @ts-check
/** The pinned gang: its words in full, whatever the sight, and told to screen readers. */
import {h} from './preact.js';
import {GangLink, Phase, QueueButton, Reason} from './parts.js';
import {go} from './place.js';
import {store, Watching} from './store.js';
import {asks, count, counted, expectedStart} from './words.js';

export class Pinned extends Watching {
  static topics = ['gangs', 'nodes', 'whole'];
  static every = 250;

  render() {
    const {pin} = this.props;
    const gang = store.state.gangNamed(pin);
    const unpin = h('button', {type: 'button', class: 'quiet', onClick: () => go({pin: ''})}, 'Unpin');
    if (!gang) {
      return h('aside', {class: 'pinned', 'aria-label': 'Pinned gang'},
        h('bdi', {class: 'name'}, pin), h('span', {class: 'muted'}, 'There is no such gang.'),
        h('span', {class: 'grow'}), unpin);
    }
    const places = store.state.places.get(gang.id);
    return h(
      'aside',
      {class: 'pinned', 'aria-label': 'Pinned gang'},
      h('div', {class: 'pinnedhead'},
        h(Phase, gang), h(GangLink, gang),
        h('span', {class: 'muted'}, facts(gang, places ? places.size : 0)),
        gang.queue && h('span', {class: 'muted'}, 'queue ', h(QueueButton, {name: gang.queue})),
        h('span', {class: 'grow'}), unpin),
      h('div', {class: 'pinnedwords'},
        h('div', null, h(Reason, gang), ' ', h('span', {class: 'message'}, gang.message)),
        gang.remedy && h('div', {class: 'remedy'}, gang.remedy),
        gang.phase === 'Waiting' && h('div', {class: 'muted'},
          'Expected start: ', expectedStart(gang.expected, store.now()))),
    );
  }
}

/**
 * @param {import('./state.js').Gang} gang
 * @param {number} nodes
 */
function facts(gang, nodes) {
  const words = [`${asks(gang)} ${gang.devices ? 'devices' : 'members'}`];
  if (gang.position) words.push(`queue position ${count(gang.position)}`);
  if (nodes > 0) words.push(`on ${counted(nodes, 'node', 'nodes')}`);
  return words.join(' · ');
}

/** Says at most every 10 s what the pinned gang has come to. */
export class Said extends Watching {
  static topics = ['gangs', 'whole'];
  static every = 10000;

  render() {
    const gang = store.state.gangNamed(this.props.pin);
    return h('p', {class: 'visuallyhidden', 'aria-live': 'polite'},
      gang ? `${gang.namespace}/${gang.name}: ${gang.phase}. ${gang.message}` : '');
  }
}
