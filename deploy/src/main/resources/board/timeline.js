// @ts-check
/** What a gang has been through, with the time from one milestone to the next. */
import {h} from './preact.js';
import {Phase, Reason} from './parts.js';
import {absolute, duration, seconds} from './words.js';

/** @param {{milestones: any[], now: number}} props in the order of time */
export function Timeline({milestones, now}) {
  if (milestones.length === 0) return h('p', {class: 'nothing'}, 'Nothing has been seen yet.');
  return h('ol', {class: 'timeline'}, milestones.map((milestone, i) => {
    const next = milestones[i + 1];
    const until = next ? Date.parse(next.time) : now;
    const phase = String(milestone.phase);
    const isOver = phase === 'Finished' && !next;
    return h(
      'li',
      {key: i, class: `milestone ${phase.toLowerCase()}`},
      h('time', {dateTime: milestone.time, title: absolute(milestone.time)}, seconds(milestone.time)),
      h('div', {class: 'what'},
        h('div', null, h(Phase, {phase}), ' ', milestone.reason && h(Reason, milestone)),
        milestone.message && h('div', {class: 'message'}, milestone.message),
        !isOver && h('div', {class: 'lasted'}, duration(until - Date.parse(milestone.time)), !next && ' so far')),
    );
  }));
}
