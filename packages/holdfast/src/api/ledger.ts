import type { ObjectMeta } from '@holdfast/base/meta';
import type { ProtectOperation } from './pub/pub.ts';

export const ledgerGroup = 'holdfast.dev';
export const ledgerName = 'default';

/**
 * Every ledger is one object in etcd, which holds 1.5 MiB at most. A reservation has about 200 bytes of JSON, one for an update about
 * 350, and at most about 1,150 (a pod name has up to 253 characters, a container name 63, and the identity of a replica is in it twice);
 * the sizes of groups take 150 kB. So this many always fit; a test measures the largest ledger.
 */
export const maxReservations = 1_200;

/** Budgets that a reservation records. A pod under more is judged again each time that it is asked for (I14). */
export const maxJudges = 8;

/** How many restarted containers a reservation records, so that its size stays bounded. Pods with more are rare. */
export const maxRestarts = 4;

/** Groups whose size a ledger keeps. Of more, the sizes are those that each process sees, as for a new group (G5). */
export const maxSizes = 1_000;

/** The size of a group whose size nothing states, when its owner last had all the pods it wants (G5). */
export interface GroupSize {
  /** The digest of what makes the group: its label key and value, and its root owner. */
  readonly group: string;
  /** Its name, for people. */
  readonly unit: string;
  readonly size: number;
  /** Since when the leader has seen no pod of it. A day later the size is forgotten. */
  readonly emptySince?: string;
}

/** A disruption that was allowed and is not yet seen to have happened. */
export interface Reservation {
  readonly pod: string;
  readonly uid: string;
  readonly operation: ProtectOperation;
  /** When it was reserved, on the clock of the replica that reserved it (RFC 3339). */
  readonly time: string;
  /** The resourceVersion of the pod collection that the verdict was made from. */
  readonly view: string;
  /** The pod's generation then. A newer one later shows that an update happened. */
  readonly generation?: number;
  /** UPDATE and RESIZE: what the change does to the pod, so that it can be seen when that is over (L8). */
  readonly change?: ChangeRecord;
  /**
   * The verdict rests on versions of pods (N5), which are looked at only after this is written. So it may have come to nothing: it
   * answers no repeated request (L5), and does not make its unit down for the other pods of it (N6).
   */
  readonly conditional?: true;
  /**
   * The request that made it, for a pod that had none. While it stands here no other request was answered by this reservation, so its
   * request may take it back when its disruption is certain not to happen (L7). A request that is answered by it takes the claim off.
   */
  readonly claim?: string;
  /**
   * The digests of the budgets that judged it (uid and rules). It answers a repeated request only while every budget that judges the
   * pod now is among them (I14). Absent where the reservation answers nothing: a conditional or overdue one, one of a pod under more
   * than `maxJudges` budgets, one that an older version wrote.
   */
  readonly judgedBy?: readonly string[];
  readonly overdue?: Overdue;
}

/** Bounded, whatever the pod is like: what does not fit is `open`. */
export interface ChangeRecord {
  /**
   * The resourceVersion of the pod that the change was asked for. An API server stores the change only on top of exactly this
   * version (else it asks its webhooks again): a pod that has a newer one shows whether the change happened.
   */
  readonly from: string;
  /**
   * Where it changes the spec: the containers that it restarts, each as `NAME ID COUNT CHANGES DEMAND`: digest of the container ID,
   * restart count, number of changes that are to be carried out, and digest of what the spec asked of it before.
   */
  readonly restarts?: readonly string[];
  /** A controller has taken the pod out of service for an update in place, and has not asked for the update yet. */
  readonly announced?: true;
  /** Nothing in the pod's status will show when this change is over. */
  readonly open?: true;
}

/**
 * What the leader noted after the time limit passed (of a conditional reservation at once), in two steps, each a write of its own (I9).
 *
 * `waiting`: requests that were admitted before may still be under way; `since` is when the leader `by` made up its mind, for people.
 * How long it waits, it measures itself, from when it sees this written (another leader starts its own wait). `closed`: none is under way any
 * more, as of `podsVersion`, the resourceVersion of the pods that a consistent read gave then. Only a view of the pods at least as new
 * as that may say "the pod is still there". (Versions of ledgers cannot be compared with those of pods.)
 */
export interface Overdue {
  readonly phase: 'waiting' | 'closed';
  readonly by: string;
  readonly since: string;
  readonly podsVersion?: string;
}

export interface DisruptionLedger {
  readonly metadata: ObjectMeta;
  readonly spec?: {
    readonly reservations?: readonly Reservation[];
    /** Reservations seen to have happened up to this resourceVersion of the pod collection are gone from the list. */
    readonly watermark?: string;
    readonly sizes?: readonly GroupSize[];
  };
}
