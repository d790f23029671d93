import { isObject } from '../../api/json.ts';
import type { ReviewRequest } from './review.ts';

/** Who asks for a disruption, and what the client says about it. */
export interface ClientWords {
  readonly user: string;
  /** On whose behalf: the descheduler writes it on its Evictions. Clients can write anything: it proves nothing. */
  readonly requestedBy?: string;
  /** Why, in the client's words. */
  readonly reason?: string;
}

/** Annotations of an Eviction, as the descheduler writes them. */
const requestedByKey = 'requested-by';
const reasonKey = 'reason';

/** A client chooses these texts, and every decision logs them. */
const maxText = 256;

export function clientWordsOf({ username, object, subResource }: ReviewRequest): ClientWords {
  const metadata = subResource === 'eviction' && isObject(object) ? object['metadata'] : undefined;
  const annotations = isObject(metadata) ? metadata['annotations'] : undefined;
  const text = (key: string): string | undefined => {
    const value = isObject(annotations) && Object.hasOwn(annotations, key) ? annotations[key] : undefined;
    return typeof value === 'string' && value !== '' ? value.slice(0, maxText) : undefined;
  };
  const [requestedBy, reason] = [text(requestedByKey), text(reasonKey)];
  return {
    user: username,
    ...(requestedBy === undefined ? {} : { requestedBy }),
    ...(reason === undefined ? {} : { reason }),
  };
}

/** Who asks, in few words: names of users have no end, and every value of a label is a series. */
const actorClasses = [
  'holdfast',
  'node',
  'control-plane',
  'autoscaler',
  'descheduler',
  'service-account',
  'user',
] as const;
export type ActorClass = (typeof actorClasses)[number];

const accounts = 'system:serviceaccount:';

/** @param own the user that our own requests come from */
export function actorClassOf({ user, requestedBy = '' }: ClientWords, own: string): ActorClass {
  if (user === own) return 'holdfast';
  if (user.startsWith('system:node:')) return 'node';
  const account = user.startsWith(accounts) ? user.slice(accounts.length) : undefined;
  // By name, because they have no other mark: whoever gives an account such a name is counted there.
  const name = account ?? user;
  if (/karpenter|autoscaler/.test(name)) return 'autoscaler';
  if (requestedBy.endsWith('/descheduler') || /descheduler/.test(name)) return 'descheduler';
  if (account?.startsWith('kube-system:') === true || /^system:kube-/.test(user)) return 'control-plane';
  return account === undefined ? 'user' : 'service-account';
}
