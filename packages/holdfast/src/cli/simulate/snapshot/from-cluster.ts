import { type Fields, isObject } from '@holdfast/base/json';
import { splitApiVersion } from '@holdfast/embedded-cluster/objects';
import { ledgerGroup } from '../../../api/ledger.ts';
import { pubGroup } from '../../../api/pub/pub.ts';
import { compareStrings } from '../../../core/compare.ts';
import { schedulingGroup } from '../../../core/groups/systems/native.ts';
import type { KindName, KindResource } from '../../../kube/discovery/discovery.ts';
import { type Gap, listRight } from '../../../observe/once/gap.ts';
import { KindReader } from '../../../observe/once/kind-reader.ts';
import { everywhere, only } from '../../../observe/once/scope.ts';
import { ensureSight } from '../../../observe/once/sight.ts';
import { Problem } from '../../../observe/problem.ts';
import type { ReadSession } from '../../../observe/session.ts';
import type { LoadedObject } from '../../load-objects.ts';
import { referencesOf, uidOf } from './uids.ts';

export interface ClusterSnapshot {
  readonly objects: readonly LoadedObject[];
  /** What may not be read, and what follows. */
  readonly warnings: readonly string[];
}

/** What every simulation needs, if it is there. */
const kinds: readonly KindName[] = [
  { group: '', kind: 'Namespace' },
  { group: '', kind: 'Node' },
  { group: 'policy', kind: 'PodDisruptionBudget' },
  { group: pubGroup, kind: 'PodUnavailableBudget' },
  { group: ledgerGroup, kind: 'DisruptionLedger' },
  { group: 'apps', kind: 'Deployment' },
  { group: 'apps', kind: 'ReplicaSet' },
  { group: 'apps', kind: 'StatefulSet' },
  { group: 'apps', kind: 'DaemonSet' },
  { group: 'apps', kind: 'ControllerRevision' },
  { group: 'batch', kind: 'Job' },
  { group: 'batch', kind: 'CronJob' },
  { group: schedulingGroup, kind: 'PodGroup' },
  { group: schedulingGroup, kind: 'Workload' },
];

/** Without these a simulation would show a drain that no budget stops, or one that ignores disruptions under way. */
const indispensable: Readonly<Record<string, string>> = {
  PodDisruptionBudget: 'poddisruptionbudgets',
  PodUnavailableBudget: 'podunavailablebudgets',
  DisruptionLedger: 'disruptionledgers',
};

/** How far up a chain of owners is read; real chains are shorter. */
const maxOwnerRounds = 5;

/** Reads, with the rights of the user, what a simulation starts from. It writes nothing. */
export async function readSnapshot(session: ReadSession, namespace: string | undefined): Promise<ClusterSnapshot> {
  const reading = new Reading(new KindReader(session), namespace);
  await reading.run();
  return { objects: reading.objects, warnings: reading.warnings };
}

class Reading {
  readonly objects: LoadedObject[] = [];
  readonly warnings: string[] = [];
  readonly #reader: KindReader;
  readonly #namespace: string | undefined;
  readonly #gaps: Gap[] = [];
  readonly #asked = new Set<string>();

  constructor(reader: KindReader, namespace: string | undefined) {
    this.#reader = reader;
    this.#namespace = namespace;
  }

  async run(): Promise<void> {
    const pods = await this.#read({ group: '', kind: 'Pod' });
    if (pods !== undefined)
      throw new Problem(`pods cannot be read: ${pods}`, 'Choose a namespace that you may read with -n NAMESPACE.');
    for (const kind of kinds) await this.#note(kind);
    ensureSight(this.#gaps);
    for (let round = 0; round < maxOwnerRounds; round += 1) {
      const owners = this.#unread();
      if (owners.length === 0) break;
      for (const kind of owners) await this.#note(kind);
    }
    if (this.#namespace !== undefined) {
      this.#refuseEmpty(this.#namespace);
      this.warnings.push(
        `only namespace ${this.#namespace} is simulated: pods of others take no room, and are not drained`,
      );
    }
  }

  /** Without pods there is nothing to simulate; a mistyped name is the usual cause. */
  #refuseEmpty(namespace: string): void {
    if (this.objects.some(({ kind }) => kind === 'Pod')) return;
    const exists = this.objects.some(({ kind }) => kind === 'Namespace');
    throw new Problem(
      exists ? `namespace ${namespace} has no pods` : `namespace ${namespace} does not exist, or you may not read it`,
      'kubectl get namespaces lists them.',
    );
  }

  async #note(kind: KindName): Promise<void> {
    const denied = await this.#read(kind);
    if (denied === undefined) return;
    const name = kind.group === '' ? kind.kind : `${kind.kind} (${kind.group})`;
    const follows = 'they are missing in the simulation';
    this.warnings.push(`objects of kind ${name} may not be read, and are missing in the simulation: ${denied}`);
    const plural = indispensable[kind.kind];
    if (plural === undefined) return;
    this.#gaps.push({ what: plural, why: denied, follows, right: listRight(kind.group, plural, 'all') });
  }

  /** Why it may not be read; undefined: it was, or the server has no such kind. */
  async #read(kind: KindName): Promise<string | undefined> {
    this.#asked.add(keyOf(kind));
    const scope = this.#namespace === undefined ? everywhere : only(this.#namespace);
    const read = await this.#reader.list({ kind, scope, project: (resource) => (object) => whole(resource, object) });
    if (read.kind === 'denied') return read.why;
    const items = read.kind === 'read' ? read.items : [];
    const wanted =
      kind.kind === 'Namespace' && this.#namespace !== undefined
        ? items.filter((one) => one.metadata.name === this.#namespace)
        : items;
    this.objects.push(...wanted);
    return undefined;
  }

  /** Kinds of owners that were not read yet. */
  #unread(): readonly KindName[] {
    const there = new Set(this.objects.map(uidOf));
    const found = new Map<string, KindName>();
    for (const { metadata } of this.objects) {
      for (const { apiVersion, kind, uid } of referencesOf(metadata)) {
        const name = { group: splitApiVersion(apiVersion).group, kind };
        if (!there.has(uid) && !this.#asked.has(keyOf(name))) found.set(keyOf(name), name);
      }
    }
    return [...found].sort(([a], [b]) => compareStrings(a, b)).map(([, name]) => name);
  }
}

function keyOf({ group, kind }: KindName): string {
  return `${group}/${kind}`;
}

/** Items of a list do not say what they are. Who wrote which field is of no interest, and long. */
function whole({ group, version, kind }: KindResource, object: Fields): LoadedObject {
  const { managedFields: _, ...metadata } = isObject(object['metadata']) ? object['metadata'] : {};
  const apiVersion = group === '' ? version : `${group}/${version}`;
  // Safe: everything that an API server lists has a name.
  return { ...object, apiVersion, kind, metadata } as unknown as LoadedObject;
}
