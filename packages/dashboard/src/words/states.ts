import type { DotState, NodeState, ProbeAnswer } from '../model.ts';
import type { IconName } from '../parts/icon.tsx';

interface StateLook {
  readonly icon: IconName;
  /** Class of the style sheet. */
  readonly tone: string;
  readonly words: string;
}

/** In the order in which an operator wants to see them. */
export const nodeStates: readonly NodeState[] = [
  'blocked',
  'after-recovery',
  'draining',
  'unknown',
  'can-go-now',
  'drained',
];

export const nodeLooks: Readonly<Record<NodeState, StateLook>> = {
  'can-go-now': { icon: 'now', tone: 'now', words: 'can be drained now' },
  'after-recovery': { icon: 'later', tone: 'later', words: 'after recovery' },
  blocked: { icon: 'blocked', tone: 'blocked', words: 'blocked' },
  draining: { icon: 'draining', tone: 'draining', words: 'draining' },
  drained: { icon: 'drained', tone: 'drained', words: 'drained' },
  unknown: { icon: 'unknown', tone: 'unknown', words: 'not known' },
};

export const dotWords: Readonly<Record<DotState, string>> = {
  up: 'up',
  down: 'down',
  terminating: 'terminating',
  reserved: 'disruption allowed',
};

export const probeWords: Readonly<Record<ProbeAnswer, string>> = {
  yes: 'can be lost now',
  no: 'cannot be lost now',
  unconfirmed: 'not confirmed',
  pending: 'not probed yet',
  invalid: 'its probe is invalid',
};
