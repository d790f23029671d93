import fc from 'fast-check';
import type { DisruptionRequest, Requester } from '../../../src/core/request.ts';
import { mostly } from './arbitrary-pods.ts';
import type { NaiveOptions } from './model.ts';

export const reownings = ['none', 'absent', 'absentBeside', 'db', 'webOld', 'bystander'] as const;
export type Reowning = (typeof reownings)[number];

/** How a request is asked, apart from which pod and which operation. */
export interface Manner {
  readonly operation: DisruptionRequest['operation'];
  readonly requester?: Requester;
  readonly dryRun?: boolean;
  readonly resourceVersionPrecondition?: boolean;
  readonly takesAway?: boolean;
  /** Labels that an update changes; the empty string takes the label away. */
  readonly relabel?: Readonly<Record<string, string>>;
  /** What an update makes of the owner references. */
  readonly reown?: Reowning;
  readonly uid?: 'right' | 'wrong';
  readonly options: NaiveOptions;
}

const anyRequester: fc.Arbitrary<Requester> = fc.constantFrom<Requester>(
  { kind: 'kubelet', node: 'n1' },
  { kind: 'garbageCollector' },
  { kind: 'podGarbageCollector' },
  { kind: 'scheduler' },
  { kind: 'workloadController' },
  { kind: 'other' },
);

const anyRelabel = fc.constantFrom<Readonly<Record<string, string>>>(
  { app: 'y' },
  { app: '' },
  { shard: '1' },
  { shard: '' },
  { note: 'n' },
  { 'leaderworkerset.sigs.k8s.io/group-index': '1' },
  { 'leaderworkerset.sigs.k8s.io/name': 'other' },
);

const anyOptions: fc.Arbitrary<NaiveOptions> = fc.record(
  { takeover: fc.constantFrom('on', 'off'), foreignEvictionWebhook: fc.boolean() },
  { requiredKeys: [] },
);

export const anyManner: fc.Arbitrary<Manner> = fc.record(
  {
    operation: fc.constantFrom('UPDATE', 'UPDATE', 'EVICT', 'DELETE', 'RESIZE'),
    requester: anyRequester,
    dryRun: fc.boolean(),
    resourceVersionPrecondition: fc.boolean(),
    takesAway: fc.boolean(),
    relabel: anyRelabel,
    reown: fc.constantFrom(...reownings),
    uid: mostly('right', 'wrong'),
    options: anyOptions,
  },
  { requiredKeys: ['operation', 'options'] },
);
