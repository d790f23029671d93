import type { Lease } from 'kubernetes-types/coordination/v1.js';
import type { OwnerReference } from 'kubernetes-types/meta/v1.js';
import { probeLeaseAnnotations, probeLeaseLabels } from '../../api/probe-lease.ts';
import { claimed, type ElectionCandidate, firstClaim } from '../../kube/election/lease-record.ts';

export interface LeaseTerms {
  /** As it was read or written last; undefined: there is none yet. */
  readonly lease: Lease | undefined;
  readonly place: { readonly namespace: string; readonly name: string };
  readonly candidate: ElectionCandidate;
  readonly node: string;
  /** The node; undefined: that is not known now. */
  readonly owner: OwnerReference | undefined;
  readonly uids: readonly string[];
  readonly now: number;
}

/** The lease as this agent wants it. What others keep in its metadata stays there. */
export function leaseWith({ lease, place, candidate, node, owner, uids, now }: LeaseTerms): Lease {
  const claim = lease === undefined ? firstClaim(place, candidate, now) : claimed(lease, candidate, now);
  const { managedFields: _, ...metadata } = claim.metadata ?? {};
  const others = (metadata.ownerReferences ?? []).filter(({ kind }) => kind !== 'Node');
  return {
    ...claim,
    metadata: {
      ...metadata,
      ...(owner === undefined ? {} : { ownerReferences: [...others, owner] }),
      labels: { ...metadata.labels, ...probeLeaseLabels },
      annotations: { ...metadata.annotations, ...probeLeaseAnnotations(node, candidate.identity, uids) },
    },
  };
}

/** The same uids make the same text, in whatever order they come. */
export function uidListText(uids: readonly string[]): string {
  return uids.toSorted().join(' ');
}
