import { Problem } from '../../observe/problem.ts';

export const targetKinds = ['pod', 'node', 'pdb', 'pub'] as const;
export type TargetKind = (typeof targetKinds)[number];

export interface ExplainTarget {
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

const advice = 'Name pods, nodes or budgets: pod/NAME, node/NAME, pdb/NAME or pub/NAME.';

/** `pod/web-0 node/node-1`, or `pod web-0 web-1`, as kubectl takes them. */
export function parseTargets(given: readonly string[]): readonly ExplainTarget[] {
  const [first = '', ...names] = given;
  if (first.includes('/')) return given.map(pairOf);
  const kind = kindOf(first);
  if (names.length === 0) throw notPair(first);
  return names.map((name) => {
    if (name === '' || name.includes('/')) throw notPair(`${first} ${name}`);
    return { kind, name };
  });
}

function pairOf(text: string): ExplainTarget {
  const [word = '', name = '', ...rest] = text.split('/');
  if (rest.length > 0 || name === '') throw notPair(text);
  return { kind: kindOf(word), name };
}

function kindOf(word: string): TargetKind {
  const kind = Object.hasOwn(words, word.toLowerCase()) ? words[word.toLowerCase()] : undefined;
  if (kind === undefined) throw new Problem(`cannot explain ${JSON.stringify(word)}`, advice);
  return kind;
}

function notPair(text: string): Problem {
  return new Problem(`${JSON.stringify(text)} is not KIND/NAME`, advice);
}
