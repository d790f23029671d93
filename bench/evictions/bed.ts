import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installOperator } from '../../test/support/installed.ts';
import { accessFrom, KubeHttp } from '../../test/support/kube-http.ts';
import { startTestbed } from '../../testbed/src/start.ts';
import type { Access } from '../cluster/messages.ts';

/** A real control plane with the definitions and rights of Holdfast, and nobody who uses them yet. */
export interface Bed {
  readonly http: KubeHttp;
  /** For the load, which speaks HTTP by itself. */
  readonly access: Access;
  readonly kubeconfig: string;
  /** Of the operator's service account, with the rights of the manifests. */
  readonly operatorKubeconfigPath: string;
  close(): Promise<void>;
}

export async function openBed(): Promise<Bed> {
  const testbed = await startTestbed({ addOns: [], say: (line) => console.error(line) });
  try {
    const kubeconfig = readFileSync(testbed.kubeconfigPath, 'utf8');
    const admin = accessFrom(kubeconfig);
    const http = new KubeHttp(admin);
    const request: KubeHttp['request'] = (...args) => http.request(...args);
    const operatorKubeconfigPath = join(testbed.folder, 'operator.kubeconfig');
    const { access } = await installOperator({ kubeconfig, request });
    const { token } = access.user;
    if (token?.kind !== 'inline') throw new Error('the service account has no token');
    writeFileSync(operatorKubeconfigPath, kubeconfigOf(admin.server, admin.ca, token.text), { mode: 0o600 });
    return {
      http,
      access: {
        port: Number(new URL(admin.server).port),
        ca: admin.ca.toString(),
        certificate: admin.certificate.toString(),
        key: admin.key.toString(),
      },
      kubeconfig,
      operatorKubeconfigPath,
      async close() {
        http.close();
        await testbed.stop();
      },
    };
  } catch (error) {
    await testbed.stop();
    throw error;
  }
}

function kubeconfigOf(server: string, ca: Buffer, token: string): string {
  const name = 'bench';
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server, 'certificate-authority-data': ca.toString('base64') } }],
    users: [{ name, user: { token } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  });
}
