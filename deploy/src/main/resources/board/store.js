// @ts-check
/**
 * The connection to the server. Takes the events into the state and tells watchers of them at most
 * once per animation frame.
 */
import {Component} from './preact.js';
import {State, Touched} from './state.js';

/** A page that nobody looks at lets go of its connection: browsers allow six to one server. */
const HIDDEN_MILLIS = 60000;
/** A beat comes each 15 s. */
const SILENCE_MILLIS = 20000;
const OPENING_MILLIS = 10000;
const RETRY_MILLIS = [500, 1000, 2000, 4000];

class Store {
  constructor() {
    this.state = new State();
    /** @type {'opening' | 'live' | 'lost' | 'refused' | 'signin' | 'paused'} */
    this.link = 'opening';
    /** Words of the server when it refuses. */
    this.refusal = '';
    this.touched = new Touched();
    this.frame = 0;
    /** @type {Set<(touched: Touched) => void>} */
    this.watchers = new Set();
    /** @type {EventSource | undefined} */
    this.events = undefined;
    this.tries = 0;
    this.timer = 0;
    /** Milliseconds by which the server's clock is before ours. */
    this.skew = 0;
    /** Why there is no view yet, as the server says. */
    this.problem = '';
    /** Whether this stream has given a view: what is shown may be of the one before. */
    this.hasView = false;
    this.isAsking = false;
  }

  /** The time by the server's clock; for a snapshot the time it was taken. */
  now() {
    const {source, asOf} = this.state;
    if (source && source.kind === 'snapshot') return Date.parse(asOf);
    return Date.now() + this.skew;
  }

  /**
   * Always opened without the id of the last event: after a loss the server may be another run,
   * and its changes must not be laid over the view of the one before.
   */
  open() {
    this.shut();
    const events = new EventSource('/api/v1/stream');
    this.events = events;
    this.hasView = false;
    events.addEventListener('whole', (e) => this.onWhole(JSON.parse(e.data)));
    events.addEventListener('change', (e) => this.onChange(JSON.parse(e.data)));
    events.addEventListener('beat', (e) => this.onBeat(JSON.parse(e.data)));
    events.addEventListener('refused', (e) => this.lose(JSON.parse(e.data).message));
    events.onerror = () => this.lose();
    this.expect(OPENING_MILLIS);
  }

  /** Opens, and keeps the stream only while the page is looked at. */
  start() {
    let leaving = 0;
    const back = () => {
      clearTimeout(leaving);
      if (!this.events && !document.hidden && this.link !== 'paused' && this.link !== 'signin') this.open();
    };
    document.addEventListener('visibilitychange', () => {
      if (document.hidden) leaving = setTimeout(() => this.shut(), HIDDEN_MILLIS);
      else back();
    });
    window.addEventListener('pagehide', () => this.shut());
    window.addEventListener('pageshow', back);
    // One that was opened in the background has nothing to read before it is looked at.
    back();
  }

  shut() {
    clearTimeout(this.timer);
    if (this.events) this.events.close();
    this.events = undefined;
  }

  /**
   * @param {boolean} paused
   */
  pause(paused) {
    if (paused) {
      this.shut();
      this.setLink('paused');
    } else {
      this.setLink('opening');
      this.open();
    }
  }

  /** @param {any} view */
  onWhole(view) {
    this.state.takeWhole(view, this.touched);
    this.tries = 0;
    this.problem = '';
    this.hasView = true;
    this.heard();
  }

  /** @param {any} change */
  onChange(change) {
    if (change.number <= this.state.number && this.link === 'live') return;
    if (change.number !== this.state.number + 1 || this.link !== 'live') {
      this.open();
      return;
    }
    this.state.takeChange(change, this.touched);
    this.heard();
  }

  /**
   * @param {{now: string, asOf?: string, why?: string}} beat the server's clock, the time that the
   *   view is of, and while there is no view why
   */
  onBeat(beat) {
    this.skew = Date.parse(beat.now) - Date.now();
    if (!this.hasView) {
      this.problem = beat.why || '';
      this.touched.topics.add('link');
      if (this.state.number === 0) this.setLink('opening');
      else if (beat.why) this.setLink('lost');
      this.expect(SILENCE_MILLIS);
      return;
    }
    if (beat.asOf) this.state.asOf = beat.asOf;
    this.heard();
  }

  heard() {
    this.touched.topics.add('time');
    this.setLink('live');
    this.expect(SILENCE_MILLIS);
  }

  /** @param {number} millis in which something has to be heard */
  expect(millis) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.lose(), millis);
  }

  /** @param {string} [why] as the server says; else it does not answer */
  lose(why = '') {
    this.shut();
    if (this.link === 'paused' || this.link === 'signin') return;
    this.problem = why;
    this.touched.topics.add('link');
    if (this.link !== 'refused') this.setLink('lost');
    const wait = RETRY_MILLIS[Math.min(this.tries++, RETRY_MILLIS.length - 1)];
    this.timer = setTimeout(() => this.open(), wait);
    this.askWhy();
  }

  /** An EventSource does not say with which status it was refused. */
  async askWhy() {
    if (this.isAsking) return;
    this.isAsking = true;
    const abort = new AbortController();
    const late = setTimeout(() => abort.abort(), OPENING_MILLIS);
    try {
      const answer = await fetch('/api/v1/session', {signal: abort.signal, cache: 'no-store'});
      if (answer.status === 401 && this.link !== 'live' && this.link !== 'paused') {
        const {message, signIn} = await answer.json();
        if (signIn) {
          this.end(message || '');
        } else {
          this.refusal = message || '';
          this.setLink('refused');
        }
      }
    } catch {
      // It cannot be reached, which is what the page says already.
    } finally {
      clearTimeout(late);
      this.isAsking = false;
      abort.abort();
    }
  }

  /**
   * The session has ended: nothing that it has shown stays, not even in a window that nobody sees
   * and that is not drawn for now.
   *
   * @param {string} why
   */
  end(why) {
    this.shut();
    cancelAnimationFrame(this.frame);
    this.state = new State();
    this.problem = '';
    this.refusal = why;
    this.link = 'signin';
    this.touched.topics.add('link').add('whole');
    this.tell();
  }

  /** @param {Store['link']} link */
  setLink(link) {
    if (this.link !== link) {
      this.link = link;
      this.touched.topics.add('link');
    }
    if (this.touched.topics.size > 0 && !this.frame) {
      this.frame = requestAnimationFrame(() => this.tell());
    }
  }

  tell() {
    this.frame = 0;
    const touched = this.touched;
    this.touched = new Touched();
    for (const watcher of [...this.watchers]) watcher(touched);
  }

  /**
   * @param {(touched: Touched) => void} watcher
   * @returns {() => void} that ends the watch
   */
  watch(watcher) {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  }
}

export const store = new Store();

/**
 * A component that is drawn again when one of its topics has changed, at most once in `every`
 * milliseconds, or when its properties have.
 */
export class Watching extends Component {
  /** @type {string[]} */
  static topics = [];
  static every = 0;

  componentDidMount() {
    this.drawn = performance.now();
    this.unwatch = store.watch((touched) => this.noticed(touched));
  }

  componentWillUnmount() {
    this.unwatch();
    clearTimeout(this.later);
    this.later = 0;
  }

  /** @param {Touched} touched */
  noticed(touched) {
    const kind = /** @type {typeof Watching} */ (this.constructor);
    if (this.later || !kind.topics.some((topic) => touched.topics.has(topic))) return;
    const wait = kind.every - (performance.now() - this.drawn);
    if (wait <= 0) {
      this.drawAgain();
    } else {
      this.later = setTimeout(() => this.drawAgain(), wait);
    }
  }

  /** @returns {any} what is drawn; others say */
  render() {
    return null;
  }

  drawAgain() {
    this.later = 0;
    this.drawn = performance.now();
    this.setState({drawn: this.drawn});
  }

  /**
   * @param {any} props
   * @param {any} state
   */
  shouldComponentUpdate(props, state) {
    return state !== this.state || differs(props, this.props);
  }
}

/**
 * @param {any} a
 * @param {any} b
 */
export function differs(a, b) {
  for (const key in a) if (key !== 'children' && a[key] !== b[key]) return true;
  for (const key in b) if (!(key in a)) return true;
  return false;
}
