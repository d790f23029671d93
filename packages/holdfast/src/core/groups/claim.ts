/** What a pod says about the group it belongs to. Resolving it (PodGroup objects, owners) is the world's business. */
export interface GroupClaim {
  /** The name of the system by whose convention the pod names the group. */
  readonly convention: string;
  /** Unique among the groups of a namespace. */
  readonly id: string;
  /** How people call the group. */
  readonly display: string;
  /** Groups with the same parent are replicas of one another. Absent: the pods' root owner is the parent. */
  readonly parent?: string;
  readonly index?: number;
  /** The full size, where the pod states it. */
  readonly size?: number;
  /** The least number of pods that serve, where the pod states it. */
  readonly minimum?: number;
  /** How many groups the parent has, where the pod states it. */
  readonly expected?: number;
  /** The PodGroup object that describes the group. */
  readonly object?: { readonly apiGroup: string; readonly name: string };
  /** The pod group inside a Workload that describes the group (1.35 and the KEP's own shapes), and which replica of it. */
  readonly workload?: { readonly name: string; readonly podGroup: string; readonly replica?: string };
}

/** The system that is the Kubernetes API itself. */
export const nativeName = 'native';

/** Claims of the Kubernetes API itself; they alone group a budget's pods without being asked to. */
export function isNative(claim: GroupClaim): boolean {
  return claim.convention === nativeName;
}

/** A whole number of at least one from a label or annotation; anything else is no statement at all. */
export function positiveInteger(text: string | undefined): number | undefined {
  return text !== undefined && /^[1-9][0-9]{0,8}$/.test(text) ? Number(text) : undefined;
}

/** An index from a label: a whole number of at least zero. */
export function index(text: string | undefined): number | undefined {
  return text !== undefined && /^(0|[1-9][0-9]{0,8})$/.test(text) ? Number(text) : undefined;
}

/** A field of a claim that is left out where the pod does not state it. */
export function stated<K extends string>(key: K, value: number | undefined): Partial<Record<K, number>> {
  return value === undefined ? {} : ({ [key]: value } as Partial<Record<K, number>>);
}
