// @ts-check
/** Asks for a token. It is in the field alone, and there only until it is sent. */
import {Component, createRef, h} from './preact.js';
import {Copy} from './parts.js';
import {signIn} from './session.js';
import {counted} from './words.js';

const COMMAND = 'kubectl create token SERVICEACCOUNT --audience muster-board';

export class SignIn extends Component {
  /** @param {any} props message: why the server asks */
  constructor(props) {
    super(props);
    this.field = createRef();
    this.state = {said: '', isSending: false, held: 0};
  }

  componentDidMount() {
    this.field.current.focus();
  }

  componentWillUnmount() {
    this.isGone = true;
    clearTimeout(this.wait);
    this.field.current.value = '';
  }

  /** @param {Event} e */
  async send(e) {
    e.preventDefault();
    const field = this.field.current;
    const token = field.value.trim();
    field.value = '';
    if (this.state.isSending || this.state.held > 0) return;
    if (!token) {
      this.setState({said: 'Paste a token first.'});
      field.focus();
      return;
    }
    this.setState({isSending: true, said: ''});
    const {message, holdSeconds} = await signIn(token);
    if (this.isGone) return;
    this.setState({isSending: false, said: message});
    this.hold(holdSeconds);
    if (message) field.focus();
  }

  /** @param {number} seconds in which no other try makes sense */
  hold(seconds) {
    this.setState({held: seconds});
    if (seconds > 0) this.wait = setTimeout(() => this.hold(seconds - 1), 1000);
  }

  render() {
    const {said, isSending, held} = this.state;
    return h(
      'main',
      {class: 'signin'},
      h('h1', null, 'Muster board'),
      h('form', {onSubmit: (/** @type {Event} */ e) => this.send(e)},
        h('label', {for: 'token'}, 'Token'),
        h('input', {
          id: 'token', type: 'password', ref: this.field, autocomplete: 'off', autocapitalize: 'off',
          spellcheck: false, 'aria-describedby': 'token-hint',
        }),
        h('button', {type: 'submit', disabled: isSending || held > 0}, isSending ? 'Signing in…' : 'Sign in')),
      h('p', {role: 'alert', class: said ? 'notice bad' : ''}, said),
      held > 0 && h('p', {class: 'muted'}, `The next try is possible in ${counted(held, 'second', 'seconds')}.`),
      this.props.message && !said && h('p', {class: 'muted'}, this.props.message),
      h('p', {id: 'token-hint'}, 'Any token that kubectl uses will do, or one of a service account:'),
      h(Copy, {text: COMMAND, what: 'the command'}),
    );
  }
}
