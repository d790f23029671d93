import { Problem } from '../output/problem.ts';

export const targetKinds = ['pod', 'node', 'pdb', 'pub'] as const;
export type TargetKind = (typeof targetKinds)[number];

export interface Target {
  readonly kind: TargetKind;
  readonly name: string;
}

/** Singular, plural and short, as kubectl takes them. */
const words: Readonly<Record<string, TargetKind>> = {
  pod: 'pod',
  pods: 'pod',
  po: 'pod',
  node: 'node',
  nodes: 'node',
  no: 'node',
  pdb: 'pdb',
  poddisruptionbudget: 'pdb',
  poddisruptionbudgets: 'pdb',
  'poddisruptionbudget.policy': 'pdb',
  'poddisruptionbudgets.policy': 'pdb',
  pub: 'pub',
  podunavailablebudget: 'pub',
  podunavailablebudgets: 'pub',
  'podunavailablebudget.policy.kruise.io': 'pub',
  'podunavailablebudgets.policy.kruise.io': 'pub',
};

const advice = 'Name one: pod/NAME, node/NAME, pdb/NAME or pub/NAME.';

/** `pod/web-0`, or `pod web-0`. */
export function parseTarget(given: readonly string[]): Target {
  const parts = given.length === 1 ? (given[0] ?? '').split('/') : given;
  const [word = '', name = '', ...rest] = parts;
  if (rest.length > 0 || name === '') throw new Problem(`${JSON.stringify(given.join(' '))} is not KIND/NAME`, advice);
  const kind = Object.hasOwn(words, word.toLowerCase()) ? words[word.toLowerCase()] : undefined;
  if (kind === undefined) throw new Problem(`${JSON.stringify(word)} is nothing that can be explained`, advice);
  return { kind, name };
}
