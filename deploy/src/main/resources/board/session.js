// @ts-check
/**
 * Who is signed in, where the board asks for that. The token is sent once and kept nowhere: what
 * stays is a cookie that no script can read.
 */
import {Component, h} from './preact.js';
import {Name} from './parts.js';
import {goTo, here, leave} from './place.js';
import {store, Watching} from './store.js';
import {absolute} from './words.js';

const SESSION = '/api/v1/session';
const ANSWER_MILLIS = 30000;
const RENEWAL_MILLIS = 5000;
const LONGEST_TIMER = 2 ** 31 - 1;
const LONGEST_HOLD_SECONDS = 3600;

/** Other windows of the same browser have the same session. */
const windows = new BroadcastChannel('muster-board');
windows.onmessage = ({data}) => {
  if (data === 'out') store.end('You have signed out in another window.');
  if (data === 'in' && store.link === 'signin') store.pause(false);
};

/** Where a session ended, and whose: nobody else gets back there. */
let left = {user: '', hash: ''};

/**
 * @param {string} method
 * @param {any} [body]
 * @param {number} [within]
 */
function call(method, body, within = ANSWER_MILLIS) {
  return fetch(SESSION, {
    method, cache: 'no-store', credentials: 'same-origin', redirect: 'error',
    signal: AbortSignal.timeout(within),
    ...(body && {headers: {'Content-Type': 'application/json'}, body: JSON.stringify(body)}),
  });
}

/** @param {Response} answer */
async function messageOf(answer) {
  try {
    return (await answer.json()).message || '';
  } catch {
    return '';
  }
}

/**
 * @param {string} token
 * @returns {Promise<{message: string, holdSeconds: number}>} why it was refused and for how long no
 *   other try makes sense; without message it was not
 */
export async function signIn(token) {
  try {
    const answer = await call('POST', {token});
    if (answer.ok) {
      windows.postMessage('in');
      store.pause(false);
      return {message: '', holdSeconds: 0};
    }
    const hold = Number(answer.headers.get('Retry-After')) || 0;
    return {
      message: await messageOf(answer) || `The server refused it (${answer.status}).`,
      holdSeconds: answer.status === 401 ? 0 : Math.min(LONGEST_HOLD_SECONDS, Math.max(0, hold)),
    };
  } catch {
    return {message: 'The server did not answer. Try again.', holdSeconds: 0};
  }
}

async function signOut() {
  let words = 'You have signed out.';
  try {
    const answer = await call('DELETE');
    if (!answer.ok && answer.status !== 401) words = await messageOf(answer) || FAILED;
  } catch {
    words = FAILED;
  }
  windows.postMessage('out');
  store.end(words);
}

const FAILED = 'The server did not answer: the session goes on there until it ends by itself.';

/** In the bar: who is signed in. It lives as long as anything of the cluster is shown. */
export class Viewer extends Watching {
  static topics = ['link'];

  /** @param {any} props */
  constructor(props) {
    super(props);
    this.state = {user: ''};
    this.onVisible = () => this.check();
  }

  componentDidMount() {
    super.componentDidMount();
    document.addEventListener('visibilitychange', this.onVisible);
    if (store.link === 'live') this.ask();
  }

  componentWillUnmount() {
    super.componentWillUnmount();
    this.isGone = true;
    clearTimeout(this.ending);
    document.removeEventListener('visibilitychange', this.onVisible);
    if (store.link !== 'signin' || !this.hasShown) return;
    left = {user: this.state.user, hash: location.hash};
    leave();
  }

  /** @param {import('./state.js').Touched} touched */
  noticed(touched) {
    const isLive = store.link === 'live';
    if (isLive && !this.wasLive) this.ask();
    this.wasLive = isLive;
    this.hasShown = this.hasShown || isLive;
    super.noticed(touched);
  }

  async ask() {
    try {
      const answer = await call('GET');
      if (this.isGone || answer.status !== 200) return;
      const {user, until} = await answer.json();
      if (this.isGone) return;
      this.until = Date.parse(until);
      this.setState({user, until});
      this.check();
      if (left.hash && left.user === user && here().sight === 'overview') goTo(left.hash);
      left = {user: '', hash: ''};
    } catch {
      // Asked again with the next connection.
    }
  }

  /** What a session has shown is not to stay when it has ended, also while the page is paused. */
  check() {
    clearTimeout(this.ending);
    if (!this.until) return;
    const rest = this.until - Date.now() - store.skew;
    if (rest <= 0) {
      this.renew();
    } else {
      this.ending = setTimeout(() => this.check(), Math.min(rest, LONGEST_TIMER));
    }
  }

  /** A proxy in front may have brought another token meanwhile. */
  async renew() {
    try {
      const answer = await call('GET', undefined, RENEWAL_MILLIS);
      const {until} = answer.status === 200 ? await answer.json() : {until: ''};
      if (this.isGone) return;
      if (Date.parse(until) - Date.now() - store.skew > 0) {
        this.until = Date.parse(until);
        this.setState({until});
        this.check();
        return;
      }
    } catch {
      // Then there is none.
    }
    if (!this.isGone) store.end('The session has ended.');
  }

  render() {
    const {user, until} = this.state;
    return user && h(
      'div',
      {class: 'viewer'},
      h('span', {title: until && `until ${absolute(until)}`}, h(Name, {text: user})),
      h('button', {type: 'button', class: 'quiet', onClick: signOut}, 'Sign out'),
    );
  }
}
