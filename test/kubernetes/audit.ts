import { readFileSync } from 'node:fs';

/** One request to disrupt a pod, as the API server's audit log has it. */
export interface AuditedRequest {
  readonly user: string;
  readonly namespace: string;
  readonly code: number;
}

interface AuditEvent {
  readonly verb: string;
  readonly user: { readonly username: string };
  readonly objectRef?: {
    readonly apiGroup?: string;
    readonly resource: string;
    readonly subresource?: string;
    readonly namespace?: string;
  };
  readonly responseStatus?: { readonly code?: number };
}

/** Every eviction and deletion of pods in these namespaces so far. */
export function disruptionsIn(path: string, namespaces: readonly string[]): AuditedRequest[] {
  return eventsIn(path).flatMap(({ verb, user, objectRef, responseStatus }) => {
    const { resource, subresource, namespace = '' } = objectRef ?? {};
    const isDisruption = subresource === 'eviction' || verb.startsWith('delete');
    if (resource !== 'pods' || !isDisruption || !namespaces.includes(namespace)) return [];
    return [{ user: user.username, namespace, code: responseStatus?.code ?? 0 }];
  });
}

/** What a user has done so far and was allowed to: `group/resource/subresource verb`, without what is empty. */
export function doneBy(path: string, username: string): ReadonlySet<string> {
  const done = eventsIn(path).filter(
    ({ user, responseStatus }) => user.username === username && responseStatus?.code !== 403,
  );
  return new Set(
    done.flatMap(({ verb, objectRef }) => {
      if (objectRef === undefined) return [];
      const { apiGroup = '', resource, subresource } = objectRef;
      return [`${apiGroup}/${resource}${subresource === undefined ? '' : `/${subresource}`} ${verb}`];
    }),
  );
}

function eventsIn(path: string): readonly AuditEvent[] {
  const lines = readFileSync(path, 'utf8').split('\n');
  // The last line may be half written.
  return lines.slice(0, -1).map((line) => JSON.parse(line) as AuditEvent);
}

/** Not now, not you, or an error: what a webhook of ours can make of a request. What is gone or changed is not ours. */
export function isRefusal({ code }: AuditedRequest): boolean {
  return code === 403 || code === 429 || code >= 500;
}

export function countByUser(requests: readonly AuditedRequest[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { user } of requests) counts[user] = (counts[user] ?? 0) + 1;
  return counts;
}
