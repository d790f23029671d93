import { type DisruptionLedger, ledgerGroup, ledgerName } from '../../api/ledger.ts';
import type { Namespace, ObjectMeta } from '../../api/meta.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import type { ResourceName } from '../../kube/client/resource.ts';
import type { Outcome } from '../../kube/outcome/failure.ts';
import { guardedValue, guardLabel, isNeverGuarded } from '../guard/plan.ts';
import { resources } from '../resources.ts';
import type { LedgerRead, LedgerStore, LedgerWrite } from './ledger.ts';
import type { NamespaceGuards } from './pod-handler.ts';
import type { PodReader, PodReading } from './verify.ts';

const version = 'v1alpha1';
const ledgers: ResourceName = { group: ledgerGroup, version, plural: 'disruptionledgers', namespaced: true };
const pods: ResourceName = { group: '', version: 'v1', plural: 'pods', namespaced: true };
const typeMeta = { apiVersion: `${ledgerGroup}/${version}`, kind: 'DisruptionLedger' } as const;

type Client = Pick<KubeClient, 'get' | 'create' | 'replace'>;

/** Ledgers in the API server. A GET without a resourceVersion is a consistent read; lists are slow just after a write. */
export function kubeLedgerStore(client: Client): LedgerStore {
  return {
    async read(namespace, signal): Promise<LedgerRead> {
      const place = { namespace, name: ledgerName };
      const answer = await client.get<DisruptionLedger>(ledgers, place, { signal });
      if (answer.ok) return isVersioned(answer.value) ? { kind: 'found', ledger: answer.value } : versionless;
      const { kind, message } = answer.failure;
      return kind === 'notFound' ? { kind: 'missing' } : { kind: 'failed', message };
    },
    async create(ledger, signal): Promise<LedgerWrite> {
      const { namespace } = ledger.metadata;
      return written(await client.create<DisruptionLedger>(ledgers, { namespace }, withType(ledger), { signal }));
    },
    async replace(ledger, signal): Promise<LedgerWrite> {
      const { namespace, resourceVersion } = ledger.metadata;
      // Without a version it would overwrite whatever is there.
      if (resourceVersion === undefined) return versionless;
      const place = { namespace, name: ledgerName };
      return written(await client.replace<DisruptionLedger>(ledgers, place, withType(ledger), { signal }));
    },
  };
}

export function kubePodReader(client: Pick<KubeClient, 'getMetadata'>): PodReader {
  return {
    async read(namespace, name, signal): Promise<PodReading> {
      const answer = await client.getMetadata<{ readonly metadata: ObjectMeta }>(pods, { namespace, name }, { signal });
      if (!answer.ok) {
        const { kind, message } = answer.failure;
        return kind === 'notFound' ? { kind: 'missing' } : { kind: 'failed', message };
      }
      const { uid, resourceVersion } = answer.value.metadata;
      if (uid === undefined || resourceVersion === undefined) return versionless;
      return { kind: 'found', uid, resourceVersion };
    },
  };
}

export interface GuardParts {
  readonly client: Pick<KubeClient, 'get'>;
  readonly namespaces: { get(namespace: undefined, name: string): Namespace | undefined };
  /** The operator's own namespace. */
  readonly own: string;
}

/** From the view, and from the API server where that says no: an API server may know of a label before the view does. */
export function kubeGuards({ client, namespaces, own }: GuardParts): NamespaceGuards {
  const isOn = (namespace: Namespace) => guardLabel(namespace) === guardedValue;
  return {
    isGuarded(name) {
      const seen = namespaces.get(undefined, name);
      return seen !== undefined && isOn(seen) && !isNeverGuarded(name, own);
    },
    async confirm(name, signal) {
      if (isNeverGuarded(name, own)) return false;
      const read = await client.get<Namespace>(resources.namespaces, { name }, { signal });
      // What cannot be read is judged: a protected pod must not pass because of that (I4).
      return read.ok ? isOn(read.value) : read.failure.kind !== 'notFound';
    },
  };
}

const versionless = { kind: 'failed', message: 'an object without a resourceVersion' } as const;

function isVersioned(ledger: DisruptionLedger): boolean {
  return ledger.metadata?.resourceVersion !== undefined;
}

/** Objects that came out of a list or were made here do not say what they are. */
function withType(ledger: DisruptionLedger): DisruptionLedger & typeof typeMeta {
  return { ...ledger, ...typeMeta };
}

function written(answer: Outcome<DisruptionLedger>): LedgerWrite {
  if (answer.ok) return isVersioned(answer.value) ? { kind: 'stored', ledger: answer.value } : versionless;
  const { kind, message } = answer.failure;
  switch (kind) {
    case 'conflict':
    case 'alreadyExists':
      return { kind: 'conflict' };
    case 'notFound':
      return { kind: 'missing' };
    default:
      return { kind: 'failed', message };
  }
}
