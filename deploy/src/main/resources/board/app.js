// @ts-check
/** Puts the sights together and starts the stream. */
import {h, render} from './preact.js';
import {Bar, Notices} from './bar.js';
import {NoGangs, Refused} from './empty.js';
import {GangSight} from './gang.js';
import {HistorySight} from './history.js';
import {LineSight} from './line.js';
import {MapSight} from './map.js';
import {Pinned, Said} from './pin.js';
import {here, watchPlace} from './place.js';
import {QueuesSight} from './queues.js';
import {SignIn} from './signin.js';
import {store, Watching} from './store.js';
import {WhatIfSight} from './whatif.js';

const narrow = matchMedia('(max-width: 699px)');

class App extends Watching {
  static topics = ['link', 'whole', 'gangs'];
  static every = 0;

  /** @param {any} props */
  constructor(props) {
    super(props);
    this.state = {place: here()};
    watchPlace(() => this.setState({place: here()}));
    narrow.addEventListener('change', () => this.setState({}));
  }

  /** Changes of gangs concern the frame of the page only as the first comes or the last goes. */
  drawAgain() {
    const shown = [store.link, store.refusal, store.problem, store.state.run, store.state.gangs.size > 0].join();
    if (shown !== this.shown) super.drawAgain();
    this.shown = shown;
  }

  componentDidMount() {
    super.componentDidMount();
    this.entitle();
  }

  /** So that windows and steps back are told apart. */
  entitle() {
    const {place} = this.state;
    document.title = place.sight === 'gang' ? `${place.namespace}/${place.name} – Muster board` : 'Muster board';
  }

  /** @param {any} props @param {any} before */
  componentDidUpdate(props, before) {
    const {place} = this.state;
    if (before.place === place) return;
    this.entitle();
    if (before.place.sight !== place.sight || before.place.name !== place.name) scrollTo(0, 0);
  }

  render() {
    const {place} = this.state;
    if (store.link === 'signin') return h(SignIn, {message: store.refusal});
    if (store.link === 'refused') return h(Refused, {message: store.refusal});
    return [
      h(Bar, {place, link: store.link}),
      h(Notices, null),
      place.pin && place.sight !== 'gang' && h(Pinned, {pin: place.pin}),
      h(Said, {key: `said ${place.pin}`, pin: place.pin}),
      h('main', {class: `sight-${place.sight}`, id: 'main'}, this.sight(place)),
    ];
  }

  /** @param {import('./place.js').Place} place */
  sight(place) {
    if (store.state.number === 0 && !store.state.source) {
      return h('p', {class: 'opening'}, store.problem || 'The cluster is being read…');
    }
    if (place.sight === 'gang') {
      return h(GangSight, {
        key: `${place.namespace}/${place.name}`, namespace: place.namespace, name: place.name,
      });
    }
    if (place.sight === 'whatif') return h(WhatIfSight, {key: 'whatif', place, isNarrow: narrow.matches});
    if (place.sight === 'history') return h(HistorySight, {key: 'history', place});
    const map = h(MapSight, {key: 'map', place});
    const line = store.state.gangs.size === 0
      ? h(NoGangs, {key: 'empty'})
      : h(LineSight, {key: `line ${place.list}`, place});
    const queues = h(QueuesSight, {key: 'queues', place});
    // A small screen has the line, the history and gang pages only.
    switch (narrow.matches ? 'line' : place.sight) {
      case 'map':
        return map;
      case 'line':
        return line;
      case 'queues':
        return queues;
      default:
        return [map, queues, line];
    }
  }
}

const page = document.createElement('div');
page.id = 'page';
document.body.append(page);
render(h(App, null), page);
store.start();
