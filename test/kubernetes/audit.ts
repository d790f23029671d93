import { readFileSync } from 'node:fs';

/** One request to disrupt a pod, as the API server's audit log has it. */
export interface AuditedRequest {
  readonly user: string;
  readonly namespace: string;
  readonly code: number;
}

interface AuditEvent {
  readonly user: { readonly username: string };
  readonly objectRef?: { readonly resource: string; readonly namespace?: string };
  readonly responseStatus?: { readonly code?: number };
}

/** Every eviction and deletion of pods in these namespaces so far. */
export function disruptionsIn(path: string, namespaces: readonly string[]): AuditedRequest[] {
  const lines = readFileSync(path, 'utf8').split('\n');
  // The last line may be half written.
  const events = lines.slice(0, -1).map((line) => JSON.parse(line) as AuditEvent);
  return events.flatMap(({ user, objectRef, responseStatus }) => {
    const { resource, namespace = '' } = objectRef ?? {};
    if (resource !== 'pods' || !namespaces.includes(namespace)) return [];
    return [{ user: user.username, namespace, code: responseStatus?.code ?? 0 }];
  });
}

/** Not now, not you, or nobody knows: what a webhook of ours can make of a request. What is gone or changed is not ours. */
export function isRefusal({ code }: AuditedRequest): boolean {
  return code === 403 || code === 429 || code >= 500;
}

export function countByUser(requests: readonly AuditedRequest[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { user } of requests) counts[user] = (counts[user] ?? 0) + 1;
  return counts;
}
