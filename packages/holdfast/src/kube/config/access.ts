/** How to reach a cluster, and as whom: what a kubeconfig or a pod's service account comes to. */

/** Files are read when they are needed, again and again: others rotate them. */
export type TextSource =
  | { readonly kind: 'inline'; readonly text: string }
  | { readonly kind: 'file'; readonly path: string };

export interface ExecSettings {
  readonly apiVersion: 'client.authentication.k8s.io/v1' | 'client.authentication.k8s.io/v1beta1';
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly provideClusterInfo: boolean;
  readonly installHint: string | undefined;
}

export interface Impersonation {
  readonly user: string;
  readonly uid: string | undefined;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

export interface UserSettings {
  readonly certificate: TextSource | undefined;
  readonly key: TextSource | undefined;
  readonly token: TextSource | undefined;
  readonly basic: { readonly username: string; readonly password: string } | undefined;
  readonly exec: ExecSettings | undefined;
  readonly impersonate: Impersonation | undefined;
}

export interface Access {
  readonly server: URL;
  readonly serverName: string | undefined;
  readonly verify: boolean;
  readonly ca: TextSource | undefined;
  /** An HTTP proxy between here and the server. */
  readonly proxy?: URL | undefined;
  readonly user: UserSettings;
  /** The namespace of objects when the command line does not name one. */
  readonly namespace: string;
  /** Where this comes from, for people: `context "prod" of /home/me/.kube/config`. */
  readonly source?: string;
}

export type Configured<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

/** A sentence for people: what is wrong with a configuration. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
