import { ledgerGroup } from '../../../api/ledger.ts';
import { pubGroup } from '../../../api/pub/pub.ts';
import { schedulingGroup } from '../../../core/groups/systems/native.ts';
import type { World } from '../../../core/world/world.ts';
import { type Gap, listRight } from '../../../observe/once/gap.ts';
import { deniedGroupGap, namedApis } from '../../../observe/once/group-objects.ts';
import { deniedOwnerGap } from '../../../observe/once/owners.ts';
import { deniedLeasesGap } from '../../../observe/once/probe-leases.ts';
import { everythingRefused } from '../../../observe/once/read-world.ts';
import type { LookUpResult } from '../../../observe/owners/look-up.ts';
import type { OwnerPlace } from '../../../observe/owners/owner-key.ts';
import { kindKeyOf } from '../../../observe/owners/owner-kinds.ts';
import type { AbnormalEnd } from '../../../observe/view/watched.ts';

/** Collections that a world cannot be judged without, whichever pods there are. */
const indispensable: Readonly<Record<string, Omit<Gap, 'why'>>> = {
  pods: { what: 'pods', follows: 'nothing can be shown', right: listRight('', 'pods', 'all') },
  pdbs: {
    what: 'poddisruptionbudgets',
    follows: everythingRefused,
    right: listRight('policy', 'poddisruptionbudgets', 'all'),
  },
  pubs: {
    what: 'podunavailablebudgets',
    follows: everythingRefused,
    right: listRight(pubGroup, 'podunavailablebudgets', 'all'),
  },
  ledgers: {
    what: 'disruptionledgers',
    follows: 'disruptions under way are unknown, and protected pods are refused',
    right: listRight(ledgerGroup, 'disruptionledgers', 'all'),
  },
};

/** Without these something is missing, and what is shown is right all the same. */
const dispensable: Readonly<Record<string, Omit<Gap, 'why'>>> = {
  namespaces: {
    what: 'namespaces',
    follows: 'each counts as neither opted out nor terminating, and whether it is guarded is unknown',
  },
  nodes: {
    what: 'nodes',
    follows: 'only nodes with pods in view are shown, and neither zones nor drains can be told',
  },
  events: { what: 'events', follows: 'refusals are not listed' },
};

const podGroups = 'podgroups.';

/**
 * What the user may not read, and what follows: the same as the commands that look once say. A collection that turns out to be
 * readable later, because a right was granted, is no gap any more.
 */
export class MissingRights {
  readonly #world: World;
  readonly #denied = new Map<string, string>();
  readonly #owners = new Map<string, Gap>();
  /** Whether a collection was read, which the view knows. */
  readonly #wasRead: (collection: string) => boolean;

  constructor(world: World, wasRead: (collection: string) => boolean) {
    this.#world = world;
    this.#wasRead = wasRead;
  }

  /** @param end how the watch of a collection ended */
  ended(collection: string, end: AbnormalEnd): void {
    if (end.kind !== 'failed' || end.failure.kind !== 'denied' || end.failure.code === 401) return;
    this.#denied.set(collection, end.failure.message);
  }

  lookedUp(place: OwnerPlace, result: LookUpResult): void {
    const kind = kindKeyOf(place);
    if (result.kind !== 'denied') {
      if (result.kind === 'found') this.#owners.delete(kind);
      return;
    }
    const resource = { plural: place.kind, ...result.resource, group: place.group };
    this.#owners.set(kind, deniedOwnerGap('get', resource, result.failure.message));
  }

  isDenied(collection: string): boolean {
    return this.#denied.has(collection);
  }

  /** Collections without which pods can be judged all the same count as seen: the engine refuses everything until all are. */
  settle(): void {
    for (const collection of this.#denied.keys()) if (this.#wasRead(collection)) this.#denied.delete(collection);
    if (this.#denied.size === 0) return;
    const { groups, workloads } = this.#groupGaps();
    const seen = (collection: 'namespaces' | 'leases' | 'podGroups' | 'workloads') => {
      if (this.#world.syncedVersion(collection) === undefined) this.#world.setSynced(collection, '0');
    };
    if (this.#denied.has('namespaces')) seen('namespaces');
    if (this.#denied.has('leases') || this.#denied.has('former-leases')) seen('leases');
    const deniedGroups = [...this.#denied.keys()].some((one) => one.startsWith(podGroups));
    if (deniedGroups && groups.length === 0) seen('podGroups');
    if (this.#denied.has('workloads') && workloads.length === 0) seen('workloads');
  }

  gaps(): readonly Gap[] {
    const known = [...this.#denied].flatMap(([collection, why]) => {
      const gap = indispensable[collection] ?? dispensable[collection];
      return gap === undefined ? [] : [{ ...gap, why }];
    });
    const { groups, workloads } = this.#groupGaps();
    return [...known, ...this.#leaseGaps(), ...groups, ...workloads, ...this.#owners.values()];
  }

  #leaseGaps(): readonly Gap[] {
    const why = this.#denied.get('leases');
    if (why === undefined) return [];
    for (const { probedPods } of this.#world.namespaces()) if (probedPods.size > 0) return [deniedLeasesGap(why)];
    return [];
  }

  /** Objects that describe groups matter only where pods name them. */
  #groupGaps(): { readonly groups: readonly Gap[]; readonly workloads: readonly Gap[] } {
    const denied = [...this.#denied].filter(([one]) => one === 'workloads' || one.startsWith(podGroups));
    if (denied.length === 0) return { groups: [], workloads: [] };
    const named = namedApis(this.#world);
    const groups = denied.flatMap(([collection, why]) => {
      const api = collection.slice(podGroups.length);
      return collection !== 'workloads' && named.has(api) ? [deniedGroupGap('podgroups', api, why)] : [];
    });
    const why = this.#denied.get('workloads');
    const isNamed = why !== undefined && named.has(schedulingGroup);
    return { groups, workloads: isNamed ? [deniedGroupGap('workloads', schedulingGroup, why)] : [] };
  }
}
