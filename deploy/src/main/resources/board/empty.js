// @ts-check
/** What is shown while there is no gang, and when the server refuses. */
import {h} from './preact.js';
import {Copy} from './parts.js';

const MANIFEST = `apiVersion: batch/v1
kind: Job
metadata:
  name: first-gang
spec:
  completions: 4
  parallelism: 4
  template:
    metadata:
      annotations:
        muster.io/gang-name: first-gang
        muster.io/gang-min: "4"
    spec:
      restartPolicy: Never
      tolerations:
      - key: nvidia.com/gpu
        operator: Exists
        effect: NoSchedule
      containers:
      - name: main
        image: registry.k8s.io/pause:3.10
        resources:
          limits:
            nvidia.com/gpu: 1
`;

export function NoGangs() {
  return h(
    'section',
    {class: 'panel empty', 'aria-labelledby': 'empty-title'},
    h('h2', {id: 'empty-title'}, 'No gangs yet'),
    h('p', null, 'A gang is a set of pods that start together or not at all. To see one, apply this Job:'
      + ' its four workers of one GPU each are bound once four GPUs are free, and none before.'),
    h(Copy, {text: MANIFEST, what: 'the manifest'}),
    h('p', {class: 'muted'}, 'Save it as first-gang.yaml, then:'),
    h(Copy, {text: 'kubectl apply -f first-gang.yaml', what: 'the command'}),
  );
}

/** @param {{message: string}} props */
export function Refused({message}) {
  return h(
    'main',
    {class: 'refused'},
    h('h1', null, 'Muster board'),
    h('p', {role: 'alert'}, 'The server does not know this browser: open the address that muster board printed.'),
    message && h('p', {class: 'muted'}, message),
  );
}
