import { readFile } from 'node:fs/promises';
import { type Access, ConfigError } from './access.ts';

/** Where the kubelet puts what a pod needs to talk to its own cluster. */
const defaultDirectory = '/var/run/secrets/kubernetes.io/serviceaccount';

type Environment = Readonly<Record<string, string | undefined>>;

export function isInCluster(env: Environment): boolean {
  return (env['KUBERNETES_SERVICE_HOST'] ?? '') !== '' && (env['KUBERNETES_SERVICE_PORT'] ?? '') !== '';
}

/** As the pod's service account. The token is read again and again, because the kubelet rotates it. */
export async function inClusterAccess(env: Environment, directory = defaultDirectory): Promise<Access> {
  const host = env['KUBERNETES_SERVICE_HOST'] ?? '';
  const address = `https://${host.includes(':') ? `[${host}]` : host}:${env['KUBERNETES_SERVICE_PORT'] ?? ''}`;
  if (!isInCluster(env) || !URL.canParse(address)) throw new ConfigError('this process is not in a pod');
  return {
    server: new URL(address),
    serverName: undefined,
    verify: true,
    ca: { kind: 'file', path: `${directory}/ca.crt` },
    user: {
      token: { kind: 'file', path: `${directory}/token` },
      certificate: undefined,
      key: undefined,
      basic: undefined,
      exec: undefined,
      impersonate: undefined,
    },
    namespace: await ownNamespace(`${directory}/namespace`),
  };
}

async function ownNamespace(path: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).trim() || 'default';
  } catch {
    throw new ConfigError(`${path} cannot be read: does this pod have a service account?`);
  }
}
