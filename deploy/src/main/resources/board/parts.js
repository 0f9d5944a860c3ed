// @ts-check
/** Small components that several sights share. Names from the cluster are text nodes throughout. */
import {Component, h} from './preact.js';
import {address, go, here} from './place.js';
import {count} from './words.js';

const PAGE = 100;

/** A name of any length and script, kept from mixing with the text around it. */
export function Name({text, wrap = false}) {
  return h('bdi', {class: wrap ? 'name wrap' : 'name', title: text}, text);
}

/** @param {{namespace: string, name: string, wrap?: boolean}} gang */
export function GangLink({namespace, name, wrap = false}) {
  return h(
    'a',
    {class: 'ganglink', href: address({sight: 'gang', namespace, name}), title: `${namespace}/${name}`},
    h('bdi', {class: wrap ? 'name wrap' : 'name'}, h('span', {class: 'muted'}, namespace, '/'), name),
  );
}

/** @param {{phase: string}} gang */
export function Phase({phase}) {
  return h('span', {class: `phase ${phase.toLowerCase()}`}, phase);
}

/** @param {{reason: string}} gang */
export function Reason({reason}) {
  return h('code', {class: 'reason'}, reason);
}

/**
 * @param {{label: string, choices: {value: string, label: string}[], value: string,
 *   choose: (value: string) => void}} props
 */
export function Choice({label, choices, value, choose}) {
  return h(
    'div',
    {class: 'choice', role: 'group', 'aria-label': label},
    choices.map((choice) =>
      h('button', {
        type: 'button', key: choice.value, 'aria-pressed': String(choice.value === value),
        onClick: () => choose(choice.value),
      }, choice.label),
    ),
  );
}

/** @param {{name: string}} queue that filters when it is pressed */
export function QueueButton({name}) {
  const isChosen = here().queue === name;
  return h('button', {
    type: 'button', class: 'link', 'aria-pressed': String(isChosen),
    title: isChosen ? `Show all queues again` : `Show only queue ${name}`,
    onClick: () => go({queue: isChosen ? '' : name}),
  }, h(Name, {text: name}));
}

/** Copies its text. Without a secure origin the browser has no clipboard, so it is selected. */
export class Copy extends Component {
  /** @param {any} props */
  constructor(props) {
    super(props);
    this.state = {said: ''};
  }

  componentWillUnmount() {
    clearTimeout(this.timer);
  }

  async copy() {
    let said = 'Copied';
    try {
      await navigator.clipboard.writeText(this.props.text);
    } catch {
      const text = this.block;
      if (text) getSelection()?.selectAllChildren(text);
      said = 'Selected';
    }
    this.setState({said});
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.setState({said: ''}), 2000);
  }

  render() {
    const {text, what} = this.props;
    return h(
      'div',
      {class: 'copy'},
      h('pre', {
        tabIndex: 0, role: 'region', 'aria-label': what, ref: (block) => (this.block = block),
      }, h('code', null, text)),
      h('button', {type: 'button', 'aria-label': `Copy ${what}`, onClick: () => this.copy()},
        this.state.said || 'Copy'),
    );
  }
}

/** Shows a long list by pages of 100. */
export class Paged extends Component {
  /** @param {any} props items: all; children: a function from the items of the page to what shows them */
  constructor(props) {
    super(props);
    this.state = {page: 0};
  }

  render() {
    const {items, what, children} = this.props;
    const pages = Math.max(1, Math.ceil(items.length / PAGE));
    const page = Math.min(this.state.page, pages - 1);
    const from = page * PAGE;
    const shown = items.slice(from, from + PAGE);
    const turn = (/** @type {number} */ by) => this.setState({page: page + by});
    return h(
      'div',
      {class: 'paged'},
      children(shown),
      pages > 1 && h(
        'nav',
        {class: 'pages', 'aria-label': `Pages of ${what}`},
        h('button', {type: 'button', disabled: page === 0, onClick: () => turn(-1)}, 'Previous'),
        h('span', null, `${count(from + 1)} to ${count(from + shown.length)} of ${count(items.length)}`),
        h('button', {type: 'button', disabled: page === pages - 1, onClick: () => turn(1)}, 'Next'),
      ),
    );
  }
}
