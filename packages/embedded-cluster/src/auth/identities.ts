/** How users, groups and service accounts are named. */

import type { User } from './user.ts';

export const privilegedGroup = 'system:masters';
export const authenticatedGroup = 'system:authenticated';
export const unauthenticatedGroup = 'system:unauthenticated';
export const anonymousName = 'system:anonymous';
export const nodesGroup = 'system:nodes';
export const credentialIdKey = 'authentication.kubernetes.io/credential-id';
export const nodeNameKey = 'authentication.kubernetes.io/node-name';

const serviceAccountPrefix = 'system:serviceaccount:';
const nodePrefix = 'system:node:';
const dnsLabel = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const dnsSubdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

export function isDnsSubdomain(name: string): boolean {
  return name.length <= 253 && dnsSubdomain.test(name);
}

export function isPrivileged(user: User): boolean {
  return user.groups.includes(privilegedGroup);
}

export function serviceAccountName(namespace: string, name: string): string {
  return `${serviceAccountPrefix}${namespace}:${name}`;
}

export function serviceAccountGroups(namespace: string): readonly string[] {
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
}

export function splitServiceAccountName(username: string): { namespace: string; name: string } | undefined {
  if (!username.startsWith(serviceAccountPrefix)) return undefined;
  const [namespace, name, ...rest] = username.slice(serviceAccountPrefix.length).split(':');
  if (namespace === undefined || name === undefined || rest.length > 0) return undefined;
  if (namespace.length > 63 || !dnsLabel.test(namespace) || !isDnsSubdomain(name)) return undefined;
  return { namespace, name };
}

export function nodeNameOf(username: string): string | undefined {
  if (!username.startsWith(nodePrefix)) return undefined;
  const name = username.slice(nodePrefix.length);
  return isDnsSubdomain(name) ? name : undefined;
}

export function withGroup(groups: readonly string[], group: string): readonly string[] {
  return groups.includes(group) ? groups : [...groups, group];
}
