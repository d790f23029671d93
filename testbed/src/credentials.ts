import { createPublicKey } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createPki, type KeyPair, type Pki } from '../../packages/embedded-cluster/src/auth/pki.ts';
import { realClock } from '../../packages/holdfast/src/kube/time/clock.ts';
import { type AddOnKey, addOns } from './add-ons.ts';

/** The name of the context in every kubeconfig of a test bed: what runs destructive tests can ask for it. */
export const contextName = 'holdfast-testbed';

/** Who the programs are. Only the administrator is above the rules; the others may do what RBAC says. */
const identities = {
  admin: { user: 'testbed-admin', groups: ['system:masters'] },
  'controller-manager': { user: 'system:kube-controller-manager', groups: [] },
  scheduler: { user: 'system:kube-scheduler', groups: [] },
  kwok: { user: 'system:node:kwok', groups: ['system:nodes'] },
  lws: serviceAccount('lws'),
  jobset: serviceAccount('jobset'),
  kruise: serviceAccount('kruise'),
} as const;

function serviceAccount(key: AddOnKey): { readonly user: string; readonly groups: readonly string[] } {
  const { user, namespace } = addOns[key];
  return { user, groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`] };
}

export type Identity = keyof typeof identities;

/** What stands for kubelets and for controllers of others is not narrowed down: their own rights are not what is tested. */
export const boundToClusterAdmin = [identities.kwok.user, ...Object.values(addOns).map(({ user }) => user)];

export interface Credentials {
  readonly ca: string;
  readonly admin: KeyPair;
  /** In this folder: ca.crt, server.crt, server.key, sa.key, sa.pub and NAME.kubeconfig. */
  readonly folder: string;
  kubeconfig(identity: Identity): string;
  /** The kubeconfig of what runs on a node, as text. */
  nodeKubeconfig(user: string, groups: readonly string[], server: string): string;
}

/** Writes everything that programs are given as files. */
export function writeCredentials(folder: string, server: string): Credentials {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const pki = createPki({ clock: realClock });
  const { caCertificate, serverCertificate, serverKey, serviceAccountKey } = pki.material;
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text, { mode: 0o600 });
  write('ca.crt', caCertificate);
  write('server.crt', serverCertificate);
  write('server.key', serverKey);
  write('sa.key', serviceAccountKey);
  write('sa.pub', createPublicKey(serviceAccountKey).export({ type: 'spki', format: 'pem' }).toString());
  const keys = keysOf(pki);
  for (const [name, pair] of Object.entries(keys)) {
    write(`${name}.kubeconfig`, JSON.stringify(kubeconfigOf(server, caCertificate, pair), undefined, 2));
  }
  write('admin.crt', keys.admin.certificate);
  write('admin.key', keys.admin.key);
  return {
    ca: caCertificate,
    admin: keys.admin,
    folder,
    kubeconfig: (identity) => join(folder, `${identity}.kubeconfig`),
    nodeKubeconfig: (user, groups, server) =>
      JSON.stringify(kubeconfigOf(server, caCertificate, pki.issueClient(user, groups), 'kubernetes'), undefined, 2),
  };
}

function keysOf(pki: Pki): Record<Identity, KeyPair> {
  const entries = Object.entries(identities).map(([name, { user, groups }]) => [name, pki.issueClient(user, groups)]);
  return Object.fromEntries(entries) as Record<Identity, KeyPair>;
}

/** @param nameOfServer that its certificate has, if not that of its address */
function kubeconfigOf(server: string, ca: string, { certificate, key }: KeyPair, nameOfServer?: string): object {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const name = contextName;
  const user = { 'client-certificate-data': base64(certificate), 'client-key-data': base64(key) };
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name,
        cluster: {
          server,
          'certificate-authority-data': base64(ca),
          ...(nameOfServer === undefined ? {} : { 'tls-server-name': nameOfServer }),
        },
      },
    ],
    users: [{ name, user }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  };
}
