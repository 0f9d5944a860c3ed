// @ts-check
/** A bar for each queue: used against quota and limit, borrowed, lent, and what is asked for. */
import {h} from './preact.js';
import {QueueButton} from './parts.js';
import {store, Watching} from './store.js';
import {count, counted} from './words.js';

/** What is asked beyond the limit takes at most this part of the bar. */
const ASKED_PART = 0.4;

export class QueuesSight extends Watching {
  static topics = ['queues', 'whole'];
  static every = 500;

  render() {
    const {queues} = store.state;
    const {place} = this.props;
    return h(
      'section',
      {class: 'panel queues', 'aria-labelledby': 'queues-title'},
      h('div', {class: 'panelhead'},
        h('h2', {id: 'queues-title'}, 'Queues'),
        h('span', {class: 'muted'}, queues.length > 0 && count(queues.length))),
      h('div', {class: 'scroll', tabIndex: 0, role: 'region', 'aria-label': 'List of queues'},
        queues.length === 0
          ? h('p', {class: 'nothing'}, 'No queues are set up: gangs wait in one line.')
          : h('ul', {class: 'queuelist'}, queues.map((queue) =>
            h(QueueRow, {key: queue.name, queue, isChosen: place.queue === queue.name})))),
      queues.length > 0 && h('ul', {class: 'queuelegend', 'aria-label': 'Legend'},
        [['own', 'used of its quota'], ['borrowed', 'borrowed'], ['lent', 'lent'], ['asked', 'asked for'],
          ['quota', 'quota'], ['limit', 'limit']].map(([kind, words]) =>
          h('li', {key: kind}, h('span', {class: `swatch ${kind}`}), words))),
    );
  }
}

/** @param {{queue: import('./state.js').Queue, isChosen: boolean}} props */
function QueueRow({queue, isChosen}) {
  const {quota, limit, used, borrowed, lent, asked} = queue;
  const base = Math.max(quota || 0, limit || 0, used, 1);
  const rest = base - used;
  const beyond = Math.min(Math.max(0, asked - rest), base * ASKED_PART);
  const scale = base + beyond;
  const part = (/** @type {string} */ kind, /** @type {number} */ from, /** @type {number} */ devices) =>
    devices > 0 && h('div', {
      key: kind, class: `part ${kind}`,
      style: {left: `${(100 * from) / scale}%`, width: `${(100 * devices) / scale}%`},
    });
  const tick = (/** @type {string} */ kind, /** @type {number | undefined} */ at) =>
    at !== undefined && h('div', {key: kind, class: `tick ${kind}`, style: {left: `${(100 * at) / scale}%`}});
  return h(
    'li',
    {class: isChosen ? 'queue chosen' : 'queue'},
    h('div', {class: 'queuehead'},
      h(QueueButton, {name: queue.name}),
      h('span', {class: 'number'}, h('strong', null, count(used)),
        quota !== undefined && ` of ${count(quota)}`)),
    h('div', {class: 'queuebar', 'aria-hidden': 'true'},
      part('asked', used, Math.min(asked, rest + beyond)),
      part('own', 0, used - borrowed),
      part('borrowed', used - borrowed, borrowed),
      quota !== undefined && part('lent', Math.max(0, quota - lent), Math.min(lent, quota)),
      tick('quota', quota),
      tick('limit', limit)),
    h('div', {class: 'queuewords'}, words(queue)),
  );
}

/** @param {import('./state.js').Queue} queue */
function words(queue) {
  const parts = [];
  if (queue.borrowed > 0) parts.push(`${count(queue.borrowed)} borrowed`);
  if (queue.lent > 0) parts.push(`${count(queue.lent)} lent`);
  if (queue.limit !== undefined) parts.push(`limit ${count(queue.limit)}`);
  if (queue.asked > 0 || queue.waiting > 0) {
    parts.push(`${count(queue.asked)} asked for by ${counted(queue.waiting, 'gang', 'gangs')}`);
  } else {
    parts.push('nobody waits');
  }
  return parts.join(' · ');
}
