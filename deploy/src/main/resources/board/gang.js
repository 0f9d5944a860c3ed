// @ts-check
/** The page of one gang, asked for again when the gang has changed, at most once a second. */
import {h} from './preact.js';
import {Timeline} from './timeline.js';
import {Copy, Name, Paged, Phase, QueueButton, Reason} from './parts.js';
import {address, go, here} from './place.js';
import {store, Watching} from './store.js';
import {absolute, asks, count, counted, duration, expectedStart} from './words.js';

const AGAIN_MILLIS = 1000;
/** After an answer that tells nothing. */
const RETRY_MILLIS = 5000;
/** More than the server takes for a page and its events. */
const ANSWER_MILLIS = 30000;

export class GangSight extends Watching {
  static topics = ['time'];
  static every = 1000;

  /** @param {any} props */
  constructor(props) {
    super(props);
    this.state = {};
    this.asked = 0;
  }

  componentDidMount() {
    super.componentDidMount();
    this.ask();
  }

  componentWillUnmount() {
    super.componentWillUnmount();
    this.isGone = true;
    clearTimeout(this.next);
    if (this.abort) this.abort.abort();
  }

  /** @param {import('./state.js').Touched} touched */
  noticed(touched) {
    super.noticed(touched);
    const gang = this.gang();
    const isMine = gang ? touched.gangs.has(gang.id) : touched.gangs.size > 0;
    if (isMine || touched.topics.has('whole')) {
      this.drawAgain();
      this.askLater();
    }
  }

  gang() {
    return store.state.gangNamed(`${this.props.namespace}/${this.props.name}`);
  }

  /**
   * An answer that is on its way is waited for: a new question each time would never be answered.
   *
   * @param {number} [pause] since the last question
   */
  askLater(pause = AGAIN_MILLIS) {
    if (this.next) return;
    if (this.isAsked) {
      this.isAskedAgain = true;
      return;
    }
    const wait = Math.max(0, this.asked + pause - performance.now());
    this.next = setTimeout(() => this.ask(), wait);
  }

  async ask() {
    this.next = 0;
    this.asked = performance.now();
    this.isAsked = true;
    const abort = new AbortController();
    const late = setTimeout(() => abort.abort(), ANSWER_MILLIS);
    this.abort = abort;
    const {namespace, name} = this.props;
    let isTold = true;
    try {
      const answer = await fetch(
        `/api/v1/gangs/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`,
        {signal: abort.signal, cache: 'no-store'});
      const body = await answer.json();
      if (this.isGone) return;
      isTold = answer.ok || answer.status === 404;
      if (answer.status === 401 && body.signIn) store.end(body.message);
      else if (answer.ok) this.setState({story: body, refusal: ''});
      else this.setState({story: undefined, refusal: body.message || `The answer was ${answer.status}.`});
    } catch (e) {
      isTold = false;
      if (!this.isGone) this.setState({refusal: 'The details cannot be asked for now.'});
    } finally {
      clearTimeout(late);
      this.isAsked = false;
      const isAskedAgain = this.isAskedAgain;
      this.isAskedAgain = false;
      // Of a gang to which nothing happens nobody would ask any more.
      if (!this.isGone && !isTold) this.askLater(RETRY_MILLIS);
      else if (!this.isGone && isAskedAgain) this.askLater();
    }
  }

  render() {
    const {namespace, name} = this.props;
    const {story, refusal} = this.state;
    const gang = this.gang();
    return h(
      'article',
      {class: 'gangpage', 'aria-labelledby': 'gang-title'},
      h(Head, {namespace, name, gang, refusal: !gang && refusal}),
      story && story.left && story.left.length > 0 && h('ul', {class: 'notice'},
        story.left.map((sentence) => h('li', {key: sentence}, sentence))),
      gang && refusal && h('p', {class: 'notice bad'}, refusal),
      story && h('div', {class: 'columns'},
        h('div', {class: 'column'},
          part('Timeline', h(Timeline, {milestones: story.milestones || [], now: store.now()})),
          part('Evidence', list(story.evidence), 'Nothing more is known.'),
          part('Events', events(story.events), 'No events.')),
        h('div', {class: 'column'},
          gang && part('Nodes', h(Nodes, {gang})),
          part('Members', h(Members, {members: story.members || []})),
          part('Terms', terms(story.terms), 'No terms.'),
          part('Commands', (story.commands || []).map((command) =>
            h(Copy, {key: command, text: command, what: command})), 'No commands.'))),
    );
  }
}

/**
 * @param {string} title
 * @param {any} content
 * @param {string} [otherwise]
 */
function part(title, content, otherwise) {
  const isEmpty = !content || (Array.isArray(content) && content.length === 0);
  const id = `part-${title.toLowerCase()}`;
  return h('section', {class: 'panel part', 'aria-labelledby': id, key: title},
    h('h3', {id}, title),
    isEmpty ? h('p', {class: 'nothing'}, otherwise) : content);
}

/** @param {{namespace: string, name: string, gang: any, refusal: any}} props */
function Head({namespace, name, gang, refusal}) {
  const full = `${namespace}/${name}`;
  const isPinned = here().pin === full;
  return h(
    'section',
    {class: 'panel ganghead', 'aria-labelledby': 'gang-title'},
    h('div', {class: 'gangtitle'},
      h('h2', {id: 'gang-title'}, h('bdi', {class: 'name wrap'},
        h('span', {class: 'muted'}, namespace, '/'), name)),
      gang && h(Phase, gang),
      h('span', {class: 'grow'}),
      gang && h('button', {
        type: 'button', 'aria-pressed': String(isPinned), onClick: () => go({pin: isPinned ? '' : full}),
      }, isPinned ? 'Unpin' : 'Pin'),
      h('a', {class: 'button', href: address({sight: 'map', pin: full})}, 'On the map')),
    gang
      ? [
        h('p', {class: 'sentence'}, h(Reason, gang), ' ', h('span', {class: 'message'}, gang.message)),
        gang.remedy && h('p', {class: 'remedy'}, gang.remedy),
        h(Facts, {gang})]
      : h('p', {class: 'sentence', role: 'status'}, refusal || 'There is no such gang now.'),
  );
}

/** @param {{gang: import('./state.js').Gang}} props */
function Facts({gang}) {
  const now = store.now();
  const fact = (/** @type {string} */ name, /** @type {any} */ value, /** @type {string} */ title = '') =>
    value && h('div', {key: name}, h('dt', null, name), h('dd', {title: title || undefined}, value));
  return h(
    'dl',
    {class: 'facts'},
    gang.phase === 'Waiting' && fact('Expected start', expectedStart(gang.expected, now),
      gang.expected && absolute(gang.expected.p50)),
    fact('Queue position', gang.position && count(gang.position)),
    fact('Queue', gang.queue && h(QueueButton, {name: gang.queue})),
    fact('Priority', count(gang.priority)),
    fact('Members × devices', asks(gang)),
    fact('Bound', `${count(gang.bound)} of ${count(gang.members)}, at least ${count(gang.minAvailable)}`),
    fact('Created', gang.since && `${duration(now - Date.parse(gang.since))} ago`, absolute(gang.since)),
  );
}

/** Its nodes and how many devices it has on each. */
class Nodes extends Watching {
  static topics = ['nodes', 'whole'];
  static every = 500;

  render() {
    const places = store.state.places.get(this.props.gang.id);
    if (!places) return h('p', {class: 'nothing'}, 'On no node.');
    return h(Paged, {items: [...places], what: 'nodes'}, (page) =>
      h('ul', {class: 'nodes'}, page.map(([id, share]) => {
        const node = store.state.nodes.get(id);
        const devices = share.held + share.kept;
        return h('li', {key: id, class: share.held ? '' : 'kept'},
          h(Name, {text: node ? node.name : ''}),
          h('span', {class: 'pips', 'aria-hidden': 'true'}, pips(node ? node.devices : devices, share)),
          h('span', {class: 'number'}, `${counted(devices, 'device', 'devices')}${share.held ? '' : ' reserved'}`));
      })));
  }
}

/**
 * @param {number} devices of the node
 * @param {import('./state.js').Share} share
 */
function pips(devices, share) {
  return Array.from({length: Math.min(16, devices)}, (_, i) =>
    h('i', {key: i, class: i < share.held ? 'held' : i < share.held + share.kept ? 'kept' : ''}));
}

/** @param {{members: any[]}} props */
function Members({members}) {
  if (members.length === 0) return h('p', {class: 'nothing'}, 'No members.');
  const now = store.now();
  return h(Paged, {items: members, what: 'members'}, (page) =>
    h('div', {class: 'scrollx', tabIndex: 0, role: 'region', 'aria-label': 'Table of members'},
      h('table', {class: 'plain'},
        h('thead', null, h('tr', null, ['Member', 'Role', 'Index', 'Node', 'Standing', 'Since'].map((title) =>
          h('th', {key: title, scope: 'col'}, title)))),
        h('tbody', null, page.map((member) => h('tr', {key: member.name},
          h('th', {scope: 'row'}, h(Name, {text: member.name})),
          h('td', null, h(Name, {text: member.role || ''})),
          h('td', {class: 'number'}, count(member.index)),
          h('td', null, h(Name, {text: member.node || ''})),
          h('td', null, member.standing),
          h('td', {title: absolute(member.since)},
            member.since ? duration(now - Date.parse(member.since)) : '')))))));
}

/** @param {string[]} [sentences] */
function list(sentences) {
  return sentences && sentences.length > 0
    && h('ul', {class: 'sentences'}, sentences.map((sentence, i) => h('li', {key: i}, sentence)));
}

/** @param {{name: string, value: string}[]} [items] */
function terms(items) {
  return items && items.length > 0 && h('dl', {class: 'terms'}, items.map(({name, value}, i) =>
    h('div', {key: i}, h('dt', null, h('bdi', null, name)), h('dd', null, h('bdi', {class: 'name wrap'}, value)))));
}

/** @param {any[]} [items] */
function events(items) {
  return items && items.length > 0 && h(Paged, {items, what: 'events'}, (page) =>
    h('ul', {class: 'events'}, page.map((event, i) =>
      h('li', {key: i, class: event.type === 'Warning' ? 'warning' : ''},
        h('time', {dateTime: event.time, title: absolute(event.time)},
          `${duration(store.now() - Date.parse(event.time))} ago`),
        h('span', null, event.type === 'Warning' && h('strong', null, 'Warning '), h('code', null, event.reason),
          ' ', event.message, event.count > 1 && h('span', {class: 'muted'}, ` × ${count(event.count)}`))))));
}
