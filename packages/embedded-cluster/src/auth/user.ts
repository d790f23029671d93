export interface User {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** The cluster's own parts act as this unless they say as whom. */
export const systemUser: User = { name: 'system:apiserver', groups: ['system:masters', 'system:authenticated'] };

/** A built-in controller's identity; webhooks see it, as they do on a real cluster. */
export function controllerUser(name: string): User {
  return {
    name: `system:serviceaccount:kube-system:${name}`,
    groups: ['system:serviceaccounts', 'system:serviceaccounts:kube-system', 'system:authenticated'],
  };
}

export function nodeUser(name: string): User {
  return { name: `system:node:${name}`, groups: ['system:nodes', 'system:authenticated'] };
}

/** What is to be allowed or not. */
export type Attributes =
  | {
      readonly user: User;
      readonly verb: string;
      readonly group: string;
      readonly version: string;
      readonly resource: string;
      readonly subresource: string;
      readonly namespace: string;
      readonly name: string;
    }
  | { readonly user: User; readonly verb: string; readonly path: string };

export type AuthorizationDecision =
  | { readonly allowed: true; readonly reason: string }
  | { readonly allowed: false; readonly reason: string };

export interface Authorizer {
  decide(attributes: Attributes): AuthorizationDecision;
}
