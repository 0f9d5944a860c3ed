// @ts-check
/**
 * The gangs that wait, in the order of the queue, and those in other phases. Rows have one height,
 * so that only those in sight are drawn, however many there are.
 */
import {h} from './preact.js';
import {Choice, GangLink, Name, Phase, QueueButton, Reason} from './parts.js';
import {go, here, isFiltered, nameOf, passes} from './place.js';
import {store, Watching} from './store.js';
import {absolute, asks, count, duration, expectedStart} from './words.js';

/** As in sights.css. */
const ROW = 64;
const CARD = 152;
const SPARE = 6;
const PHASES = ['Broken', 'Binding', 'Planned', 'Running', 'Finished'];
const narrow = matchMedia('(max-width: 699px)');

/**
 * @param {boolean} isWaiting
 * @param {import('./place.js').Place} place
 * @returns {import('./state.js').Gang[]}
 */
function listed(isWaiting, place) {
  const gangs = [];
  for (const gang of store.state.gangs.values()) {
    if ((gang.phase === 'Waiting') === isWaiting && passes(gang, place)) gangs.push(gang);
  }
  return gangs.sort(isWaiting ? byPosition : byPhase);
}

/**
 * @param {import('./state.js').Gang} a
 * @param {import('./state.js').Gang} b
 */
function byPosition(a, b) {
  const difference = (a.position || Infinity) - (b.position || Infinity);
  return difference || bySince(a, b);
}

/**
 * @param {import('./state.js').Gang} a
 * @param {import('./state.js').Gang} b
 */
function byPhase(a, b) {
  return PHASES.indexOf(a.phase) - PHASES.indexOf(b.phase) || bySince(b, a);
}

/**
 * @param {import('./state.js').Gang} a
 * @param {import('./state.js').Gang} b
 */
function bySince(a, b) {
  const first = a.since || '';
  const second = b.since || '';
  return first < second ? -1 : first > second ? 1 : a.id - b.id;
}

export class LineSight extends Watching {
  static topics = ['gangs', 'time', 'whole'];
  static every = 500;

  componentDidMount() {
    super.componentDidMount();
    this.measure = () => this.box && this.setState({height: this.box.clientHeight});
    this.resizes = new ResizeObserver(this.measure);
    this.resizes.observe(this.box);
    narrow.addEventListener('change', this.measure);
  }

  componentWillUnmount() {
    super.componentWillUnmount();
    this.resizes.disconnect();
    narrow.removeEventListener('change', this.measure);
  }

  scrolled() {
    const top = this.box.scrollTop;
    const height = narrow.matches ? CARD : ROW;
    if (Math.abs(top - (this.state.top || 0)) >= height) this.setState({top});
  }

  render() {
    const {place} = this.props;
    const isWaiting = place.list !== 'others';
    const gangs = listed(isWaiting, place);
    const height = narrow.matches ? CARD : ROW;
    const top = this.box ? this.box.scrollTop : 0;
    const room = this.state.height || 600;
    const last = Math.max(0, gangs.length - Math.ceil(room / height));
    const from = Math.min(last, Math.max(0, Math.floor(top / height) - SPARE));
    const to = Math.min(gangs.length, from + Math.ceil(room / height) + 2 * SPARE);
    const now = store.now();
    return h(
      'section',
      {class: 'panel line', 'aria-labelledby': 'line-title'},
      h('div', {class: 'panelhead'},
        h('h2', {id: 'line-title'}, 'Line'),
        h(Choice, {
          label: 'Which gangs', value: isWaiting ? 'waiting' : 'others',
          choices: [{value: 'waiting', label: 'Waiting'}, {value: 'others', label: 'Running and others'}],
          choose: (list) => go({list: list === 'others' ? list : ''}),
        }),
        h('span', {class: 'muted'}, count(gangs.length), isFiltered(place) && ' pass the filters')),
      h('div', {
        class: 'scroll', tabIndex: 0, role: 'region', 'aria-label': isWaiting ? 'Waiting gangs' : 'Other gangs',
        ref: (box) => (this.box = box), onScroll: () => this.scrolled(),
      },
      gangs.length === 0
        ? h('p', {class: 'nothing'}, nothing(isWaiting, place))
        : h('table', {class: isWaiting ? 'gangs waiting' : 'gangs others', 'aria-rowcount': gangs.length + 1},
          h('caption', {class: 'visuallyhidden'}, isWaiting
            ? 'Waiting gangs in the order in which they are tried' : 'Gangs in other phases'),
          h(Head, {isWaiting}),
          h('tbody', null,
            h(Space, {key: 'above', height: from * height}),
            gangs.slice(from, to).map((gang, i) =>
              h(Row, {key: gang.id, gang, now, isWaiting, index: from + i + 2})),
            h(Space, {key: 'below', height: (gangs.length - to) * height})))),
    );
  }
}

/**
 * @param {boolean} isWaiting
 * @param {import('./place.js').Place} place
 */
function nothing(isWaiting, place) {
  if (isFiltered(place)) return 'No gang here passes the filters.';
  return isWaiting ? 'No gang waits.' : 'No gang is in another phase.';
}

/** @param {{isWaiting: boolean}} props */
function Head({isWaiting}) {
  const titles = isWaiting
    ? ['Position', 'Gang', 'Queue', 'Members × devices', 'Waits', 'Reason and remedy', 'Expected start']
    : ['Phase', 'Gang', 'Queue', 'Members × devices', 'Bound', 'Age', 'Reason and remedy'];
  return h('thead', null, h('tr', {'aria-rowindex': 1},
    titles.map((title) => h('th', {key: title, scope: 'col'}, title))));
}

/** @param {{height: number}} props of the rows that are not drawn */
function Space({height}) {
  return h('tr', {class: 'space', 'aria-hidden': 'true', style: {height: `${height}px`}},
    h('td', {colSpan: 7, style: {height: `${height}px`}}));
}

/** @param {{gang: import('./state.js').Gang, now: number, isWaiting: boolean, index: number}} props */
function Row({gang, now, isWaiting, index}) {
  const name = nameOf(gang);
  const isPinned = here().pin === name;
  const expected = expectedStart(gang.expected, now);
  const age = gang.since ? duration(now - Date.parse(gang.since)) : '';
  const since = h('td', {class: 'age', title: absolute(gang.since)}, age);
  return h(
    'tr',
    {
      class: isPinned ? 'pinned' : '', 'aria-rowindex': index,
      onClick: (/** @type {any} */ e) => e.target.closest('a, button') || go({pin: isPinned ? '' : name}),
    },
    isWaiting
      ? h('td', {class: 'position'}, gang.position ? count(gang.position) : '–')
      : h('td', {class: 'phasecell'}, h(Phase, gang)),
    h('th', {scope: 'row', class: 'gangcell'},
      h('button', {
        type: 'button', class: 'pin', 'aria-pressed': String(isPinned), 'aria-label': `Pin ${name}`,
        title: isPinned ? 'Unpin' : 'Pin: light up its nodes', onClick: () => go({pin: isPinned ? '' : name}),
      }),
      h(GangLink, gang)),
    h('td', {class: 'queuecell'}, gang.queue && h(QueueButton, {name: gang.queue})),
    h('td', {class: 'asks', title: title(gang)}, asks(gang)),
    isWaiting
      ? since
      : h('td', {class: 'asks'}, `${count(gang.bound)} of ${count(gang.members)}`),
    isWaiting ? null : since,
    h('td', {class: 'why'},
      h('div', {class: 'because'}, h(Reason, gang), ' ',
        h('span', {class: 'message', title: gang.message}, gang.message)),
      gang.remedy && h('div', {class: 'remedy', title: gang.remedy}, gang.remedy)),
    isWaiting && h('td', {class: 'expected', title: expected}, h('div', null, expected)),
  );
}

/** @param {import('./state.js').Gang} gang */
function title(gang) {
  const words = `${count(gang.members)} members, at least ${count(gang.minAvailable)} start together`;
  return gang.devices ? `${words}, ${count(gang.devices)} devices` : words;
}
