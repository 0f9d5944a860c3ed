// @ts-check
/** Asks what would become of pods that nobody has made. The answer is the server's, in its words. */
import {h} from './preact.js';
import {MapSight} from './map.js';
import {Choice, GangLink, Name, Paged} from './parts.js';
import {store, Watching} from './store.js';
import {absolute, count, counted, duration, seconds} from './words.js';

const MOST_NODES = 1000;
/** Of the slider; more can be typed. */
const SLIDER_NODES = 64;
const SLIDING_MILLIS = 300;
const TRIES = 4;
/** More than the server takes. */
const ANSWER_MILLIS = 15000;
const SUGGESTIONS = 200;

/** @type {Record<string, {label: string, phase: string}>} */
const STARTS = {
  'now': {label: 'Starts now', phase: 'running'},
  'after-gangs': {label: 'Starts after other gangs', phase: 'waiting'},
  'after-other-pods': {label: 'Starts after other pods', phase: 'waiting'},
  'after-nodes': {label: 'Needs nodes that take no pods', phase: 'waiting'},
  'after-queue': {label: 'Waits for its queue', phase: 'waiting'},
  'never': {label: 'Never starts', phase: 'broken'},
};

/** What is in the form. Kept while the page is open, so that a look at a gang does not empty it. */
const EMPTY = {
  kind: 'form', members: '4', device: '', devicesEach: '1', cpu: '', memory: '', namespace: '',
  queue: '', nodeSelector: '', priority: '', runTime: '', manifest: '', count: '0', like: '',
};
const draft = {...EMPTY};

/** @type {any} the last answer, and the run of the server whose numbers of nodes are in it */
let last = {};

/** What one reader has asked is not for the next. */
function forget() {
  if (store.link !== 'signin') return;
  Object.assign(draft, EMPTY);
  last = {};
}
store.watch(forget);

/** Labels as they are typed: key=value, with commas or spaces between. */
function labels(/** @type {string} */ text) {
  /** @type {Record<string, string>} */
  const found = {};
  for (const part of text.split(/[\s,]+/).filter(Boolean)) {
    const at = part.indexOf('=');
    found[at < 0 ? part : part.slice(0, at)] = at < 0 ? '' : part.slice(at + 1);
  }
  return found;
}

/** A number where it is one; else what was typed, of which the server says what is wrong. */
function number(/** @type {string} */ text) {
  return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text.trim();
}

/** What is sent; empty texts count as absent there. */
function request() {
  const {kind, manifest, namespace, count: more, like} = draft;
  const moreNodes = {count: number(more), like: sent(like.trim() || suggested())};
  const common = {namespace: namespace.trim(), moreNodes};
  if (kind === 'manifest') return {...common, manifest};
  return {
    ...common,
    members: number(draft.members),
    device: draft.device.trim() || device(),
    devicesEach: number(draft.devicesEach),
    cpu: draft.cpu.trim(), memory: draft.memory.trim(),
    queue: draft.queue, priority: number(draft.priority), runTime: draft.runTime.trim(),
    nodeSelector: labels(draft.nodeSelector),
  };
}

/** The device that is meant where none is named. */
function device() {
  const [first] = store.state.devices;
  return first ? first.name : '';
}

/** Nodes to choose from: one of each kind in each block. */
function kinds() {
  const found = new Map();
  for (const node of store.state.nodes.values()) {
    const kind = `${node.device || ''} ${node.devices} ${node.block || ''}`;
    if (!found.has(kind)) found.set(kind, node);
    if (found.size >= SUGGESTIONS) break;
  }
  return [...found.values()].sort((a, b) => b.devices - a.devices);
}

function suggested() {
  const [first] = kinds();
  return first ? first.name : '';
}

/** A node that is shown, by its number: whoever may not see its name has been told another one. */
function sent(/** @type {string} */ like) {
  for (const node of store.state.nodes.values()) if (node.name === like) return String(node.id);
  return like;
}

export class WhatIfSight extends Watching {
  static topics = ['whole', 'totals', 'queues'];
  static every = 2000;

  /** @param {any} props */
  constructor(props) {
    super(props);
    const isOfRun = last.run === store.state.run;
    this.state = isOfRun ? last : {answer: last.answer, more: last.more};
  }

  componentWillUnmount() {
    super.componentWillUnmount();
    clearTimeout(this.sliding);
    clearTimeout(this.again);
    if (this.abort) this.abort.abort();
    this.abort = undefined;
    const {answer, more, lit: nodes} = this.state;
    if (store.link !== 'signin') last = {answer, more, lit: nodes, run: store.state.run};
  }

  /**
   * @param {string} name
   * @param {string} value
   */
  take(name, value) {
    /** @type {any} */ (draft)[name] = value;
    this.setState({problem: undefined});
    if (name !== 'count' || !this.state.answer) return;
    clearTimeout(this.sliding);
    this.sliding = setTimeout(() => this.ask(), SLIDING_MILLIS);
  }

  async ask(tried = 1) {
    clearTimeout(this.sliding);
    clearTimeout(this.again);
    if (this.abort) this.abort.abort();
    const abort = new AbortController();
    const late = setTimeout(() => abort.abort(), ANSWER_MILLIS);
    this.abort = abort;
    this.setState({isAsking: true, problem: undefined, busy: ''});
    const asked = request();
    const more = {count: asked.moreNodes.count, like: draft.like.trim() || suggested()};
    try {
      const reply = await fetch('/api/v1/fit', {
        method: 'POST', cache: 'no-store', signal: abort.signal,
        headers: {'Content-Type': 'application/json'}, body: JSON.stringify(asked),
      });
      const body = await reply.json();
      if (this.abort !== abort) return;
      if (reply.ok) {
        this.setState({isAsking: false, answer: body, lit: lit(body), more});
      } else if (reply.status === 401 && body.signIn) {
        store.end(body.message);
      } else if (reply.headers.has('Retry-After') && tried < TRIES) {
        this.setState({busy: body.message});
        const wait = Number(reply.headers.get('Retry-After')) || 2;
        this.again = setTimeout(() => this.ask(tried + 1), 1000 * wait);
      } else {
        this.refuse(body.message || `The answer was ${reply.status}.`, body.field);
      }
    } catch (e) {
      if (this.abort === abort) this.refuse('The server cannot be asked now.');
    } finally {
      clearTimeout(late);
    }
  }

  /**
   * @param {string} message
   * @param {string} [field] of the request that is to be changed
   */
  refuse(message, field = '') {
    const name = field.replace('moreNodes.', '').replace(/\..*/, '');
    const label = field.startsWith('nodeSelector.') ? `${field.slice('nodeSelector.'.length)} ` : '';
    const input = document.getElementById(`ask-${name}`);
    this.setState({
      isAsking: false, answer: undefined, lit: undefined,
      problem: {field: input ? name : '', message: label + message},
    });
    if (input) input.focus();
  }

  render() {
    const {answer, isAsking, problem, busy, more} = this.state;
    return [
      h('form', {
        key: 'form', class: 'panel askform', 'aria-labelledby': 'ask-title', noValidate: true,
        onSubmit: (/** @type {Event} */ e) => {
          e.preventDefault();
          this.ask();
        },
      },
      h('div', {class: 'panelhead'}, h('h2', {id: 'ask-title'}, 'What if'),
        h(Choice, {
          label: 'Ask with', value: draft.kind, choose: (kind) => this.take('kind', kind),
          choices: [{value: 'form', label: 'Form'}, {value: 'manifest', label: 'Manifest'}],
        })),
      draft.kind === 'form' ? this.form() : this.manifest(),
      this.moreNodes(),
      h('div', {class: 'askend'},
        h('button', {type: 'submit', class: 'ask', disabled: isAsking}, 'Ask'),
        h('span', {class: 'muted'}, 'Nothing is created.'))),
      h('div', {key: 'answer', class: 'answers'},
        h('section', {class: 'panel answer', 'aria-labelledby': 'answer-title'},
          h('div', {class: 'panelhead'}, h('h2', {id: 'answer-title'}, 'Answer'),
            answer && h('span', {class: 'muted', title: absolute(answer.asOf)}, `as of ${seconds(answer.asOf)}`)),
          h('div', {role: 'status', 'aria-live': 'polite', class: 'told', 'aria-busy': String(Boolean(isAsking))},
            problem && h('p', {class: 'notice bad'}, problem.message),
            isAsking && h('p', {class: 'muted'}, busy ? `${busy}. Trying again…` : 'Asking…'),
            !isAsking && answer && h(Told, {answer, more}),
            !isAsking && !answer && !problem && h('p', {class: 'muted'},
              'Say what pods you would make: whether they would start now, after which gangs, or never.')),
          !isAsking && answer && h(After, {answer}),
          !isAsking && answer && answer.places && h(Places, {places: answer.places})),
        !this.props.isNarrow && h(MapSight, {place: this.props.place, lit: this.state.lit})),
    ];
  }

  form() {
    const {devices, queues, gangs} = store.state;
    const namespaces = new Set([...gangs.values()].map((gang) => gang.namespace));
    return h('div', {class: 'fields'},
      this.input('members', 'Members', {type: 'number', min: 1, max: 5000, required: true}),
      this.input('devicesEach', 'Devices of each', {type: 'number', min: 0}),
      this.input('device', 'Device', {placeholder: device() || 'nvidia.com/gpu'},
        devices.map((each) => ({value: each.name}))),
      this.input('cpu', 'CPU of each', {placeholder: '8 or 500m'}),
      this.input('memory', 'Memory of each', {placeholder: '64Gi'}),
      this.input('namespace', 'Namespace', {placeholder: 'default'},
        [...namespaces].sort().slice(0, SUGGESTIONS).map((value) => ({value}))),
      this.input('queue', 'Queue', {placeholder: 'by namespace'},
        queues.map((queue) => ({value: queue.name}))),
      this.input('nodeSelector', 'Node labels', {placeholder: 'pool=a100, zone=b'}),
      this.input('priority', 'Priority', {type: 'number'}),
      this.input('runTime', 'Run time', {placeholder: '90m'}),
      h('p', {class: 'muted wide'}, 'The pods tolerate taints with the name of their device. Priority and run time'
        + ' change no answer: preemption is not played through.'));
  }

  manifest() {
    return h('div', {class: 'fields'},
      this.field('manifest', 'Manifests of pods, workloads or lists of them', h('textarea', {
        ...this.common('manifest'), rows: 16, spellcheck: false, autocapitalize: 'off',
      }), 'wide'),
      this.input('namespace', 'Namespace of objects that name none', {placeholder: 'default'}));
  }

  moreNodes() {
    const more = Number(draft.count) || 0;
    return h('fieldset', {class: 'fields'},
      h('legend', null, `With ${counted(more, 'more node', 'more nodes')}`),
      h('input', {
        type: 'range', class: 'wide', min: 0, max: SLIDER_NODES, value: Math.min(more, SLIDER_NODES),
        'aria-label': 'More nodes', onInput: (/** @type {any} */ e) => this.take('count', e.target.value),
      }),
      this.input('count', 'More nodes', {type: 'number', min: 0, max: MOST_NODES}),
      this.input('like', 'Like node', {placeholder: suggested()}, kinds().map((node) => ({
        value: node.name,
        label: [node.devices ? `${node.devices} × ${node.device}` : 'no devices', node.block].filter(Boolean).join(', '),
      }))));
  }

  /**
   * @param {string} name
   * @param {string} label
   * @param {any} attributes
   * @param {{value: string, label?: string}[]} [suggestions]
   */
  input(name, label, attributes, suggestions = []) {
    const list = suggestions.length > 0 ? `ask-${name}-list` : undefined;
    return this.field(name, label, [
      h('input', {key: 'input', type: 'text', list, autoComplete: 'off', ...attributes, ...this.common(name)}),
      list && h('datalist', {key: 'list', id: list}, suggestions.map((each) =>
        h('option', {key: each.value, ...each}))),
    ]);
  }

  /** @param {string} name */
  common(name) {
    const {problem} = this.state;
    const isWrong = problem && problem.field === name;
    return {
      id: `ask-${name}`, name, value: /** @type {any} */ (draft)[name],
      'aria-invalid': isWrong ? 'true' : undefined, 'aria-describedby': isWrong ? 'ask-problem' : undefined,
      onInput: (/** @type {any} */ e) => this.take(name, e.target.value),
    };
  }

  /**
   * @param {string} name
   * @param {string} label
   * @param {any} control
   * @param {string} [width]
   */
  field(name, label, control, width = '') {
    const {problem} = this.state;
    return h('div', {key: name, class: `field ${width}`},
      h('label', {for: `ask-${name}`}, label), control,
      problem && problem.field === name && h('p', {class: 'problem', id: 'ask-problem'}, problem.message));
  }
}

/** @param {any} answer @returns {Set<number> | undefined} nodes of the map on which members would be */
function lit(answer) {
  if (!answer.places) return undefined;
  const names = new Set(answer.places.map((/** @type {any[]} */ [name]) => name));
  const nodes = new Set();
  for (const node of store.state.nodes.values()) if (names.has(node.name)) nodes.add(node.id);
  return nodes;
}

/** @param {any} props */
function Told({answer, more}) {
  const {label, phase} = STARTS[answer.starts] || {label: answer.starts, phase: ''};
  const added = more && Number(more.count) > 0;
  return [
    h('p', {key: 'word'}, h('span', {class: `phase ${phase}`}, label),
      added && h('span', {class: 'muted'}, ` with ${counted(more.count, 'more node', 'more nodes')} like `,
        h(Name, {text: String(more.like)}))),
    h('p', {key: 'sentence', class: 'sentence'}, answer.sentence),
  ];
}

/** @param {any} props */
function After({answer}) {
  const {after = [], others = 0} = answer;
  if (after.length === 0) return null;
  return h('div', {class: 'part'},
    h('h3', null, 'These have to end first'),
    h(Paged, {items: after, what: 'gangs'}, (page) => h('ul', {class: 'places'}, page.map((gang) =>
      h('li', {key: `${gang.namespace}/${gang.name}`}, h(GangLink, gang),
        h('span', {class: 'muted', title: absolute(gang.since)},
          `for ${duration(Date.parse(answer.asOf) - Date.parse(gang.since))}`))))),
    others > 0 && h('p', {class: 'muted'}, `and ${counted(others, 'gang', 'gangs')} of other namespaces`));
}

/** @param {{places: [string, number][]}} props */
function Places({places}) {
  const known = new Set([...store.state.nodes.values()].map((node) => node.name));
  return h('div', {class: 'part'},
    h('h3', null, `Places on ${counted(places.length, 'node', 'nodes')}`),
    h(Paged, {items: places, what: 'places'}, (page) => h('ul', {class: 'places'}, page.map(([node, members]) =>
      h('li', {key: node}, h(Name, {text: node}), !known.has(node) && h('span', {class: 'phase planned'}, 'new'),
        h('span', {class: 'number'}, `${count(members)} ${members === 1 ? 'member' : 'members'}`))))));
}
