// @ts-check
/** The map as a table. */
import {h} from './preact.js';
import {ordered} from './layout.js';
import {GangLink, Name, Paged} from './parts.js';
import {isFiltered, passes} from './place.js';
import {freeDevices, shares} from './state.js';
import {store, Watching} from './store.js';
import {count, stateOf} from './words.js';

export class NodeTable extends Watching {
  static topics = ['nodes', 'gangs'];
  static every = 1000;

  render() {
    const nodes = ordered(matching(this.props.place), (node) =>
      [node.block || '', node.rack || '', node.name].join('\u0000'));
    return h('div', {class: 'scroll', tabIndex: 0, role: 'region', 'aria-label': 'Table of nodes'},
      h(Paged, {items: nodes, what: 'nodes'}, (page) =>
        h('table', {class: 'plain'},
          h('caption', {class: 'visuallyhidden'}, 'Nodes, their state, free devices and gangs'),
          h('thead', null, h('tr', null, ['Node', 'Block', 'Rack', 'State', 'Free', 'Devices', 'Gangs']
            .map((title) => h('th', {key: title, scope: 'col'}, title)))),
          h('tbody', null, page.map((node) => h(Row, {key: node.id, node}))))));
  }
}

/** @param {{node: import('./state.js').Node}} props */
function Row({node}) {
  return h('tr', null,
    h('th', {scope: 'row'}, h(Name, {text: node.name})),
    h('td', null, h(Name, {text: node.block || ''})),
    h('td', null, h(Name, {text: node.rack || ''})),
    h('td', null, stateOf(node)),
    h('td', {class: 'number'}, count(freeDevices(node))),
    h('td', {class: 'number'}, count(node.devices)),
    h('td', null, h('ul', {class: 'inline'}, shares(store.state, node).map((share) => {
      const gang = store.state.gangs.get(share.id);
      return h('li', null, gang ? h(GangLink, gang) : share.text, ` ${count(share.devices)}`,
        share.isKept && ' reserved');
    }))));
}

/** @param {import('./place.js').Place} place */
function matching(place) {
  const nodes = [...store.state.nodes.values()];
  if (!isFiltered(place)) return nodes;
  const q = place.q.toLowerCase();
  const isByNode = q !== '' && !place.ns && !place.queue;
  return nodes.filter((node) =>
    (isByNode && node.name.toLowerCase().includes(q))
      || shares(store.state, node).some(({id}) => {
        const gang = store.state.gangs.get(id);
        return gang !== undefined && passes(gang, place);
      }));
}
