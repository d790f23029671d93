import type { ClientWords } from './client-words.ts';

/** Who asks, in few words: names of users have no end, and every value of a label is a series. */
export const actorClasses = [
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
