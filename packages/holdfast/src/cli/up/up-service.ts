import { randomBytes } from 'node:crypto';
import type { Cluster, User } from '@holdfast/embedded-cluster';
import { defaultInstallValues, type InstallValues } from '../../install/index.ts';
import type { Access } from '../../kube/config/access.ts';
import { accessOf, parseKubeconfig } from '../../kube/config/kubeconfig.ts';
import { realClock } from '../../kube/time/clock.ts';
import { createLogger, type Logger } from '../../telemetry/log.ts';

/** One agent serves all simulated nodes, since they all are in this process: its token names none of them. */
export const upValues: InstallValues = {
  ...defaultInstallValues,
  agent: { ...defaultInstallValues.agent, bindToNode: false },
};
export const upHost = '127.0.0.1';

/** How a part of Holdfast comes to the API: as its service account, which may do there what the manifests allow. */
export interface ServiceToken {
  readonly token: string;
  readonly user: User;
}

export function serviceToken(userOf: (namespace: string) => string): ServiceToken {
  const { namespace } = upValues;
  return {
    token: randomBytes(32).toString('hex'),
    user: {
      name: userOf(namespace),
      groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
    },
  };
}

export function administratorOf(cluster: Cluster): Access {
  return accessOf(parseKubeconfig(cluster.kubeconfig(), '/'), undefined);
}

export function accessWith(admin: Access, { token }: ServiceToken): Access {
  const user = { certificate: undefined, key: undefined, basic: undefined, exec: undefined, impersonate: undefined };
  return { ...admin, user: { ...user, token: { kind: 'inline', text: token } } };
}

/** Unique per process start. */
export function upIdentity(): string {
  return `holdfast-up_${randomBytes(4).toString('hex')}`;
}

export function upLog(): Logger {
  return createLogger({
    level: 'warn',
    format: 'text',
    write: (line) => void process.stderr.write(line),
    now: () => realClock.now(),
  });
}
