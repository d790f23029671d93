import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installOperator } from '../../test/support/installed.ts';
import { accessFrom, KubeHttp } from '../../test/support/kube-http.ts';
import type { AddOnKey } from '../../testbed/src/add-ons.ts';
import { startTestbed } from '../../testbed/src/start.ts';
import type { Access } from '../cluster/messages.ts';

/** A real control plane, and what is asked of it. */
export interface Plane {
  readonly http: KubeHttp;
  /** For the load, which speaks HTTP by itself. */
  readonly access: Access;
  readonly kubeconfig: string;
  /** Gone with it. */
  readonly folder: string;
  close(): Promise<void>;
}

/** One with the definitions and rights of Holdfast, and no operator yet. */
export interface Bed extends Plane {
  /** Of the operator's service account, with the rights of the manifests. */
  readonly operatorKubeconfigPath: string;
}

export async function openPlane(addOns: readonly AddOnKey[]): Promise<Plane> {
  const testbed = await startTestbed({ addOns, say: (line) => console.error(line) });
  const kubeconfig = readFileSync(testbed.kubeconfigPath, 'utf8');
  const { server, ca, certificate, key } = accessFrom(kubeconfig);
  const http = new KubeHttp({ server, ca, certificate, key });
  return {
    http,
    access: {
      port: Number(new URL(server).port),
      ca: ca.toString(),
      certificate: certificate.toString(),
      key: key.toString(),
    },
    kubeconfig,
    folder: testbed.folder,
    async close() {
      http.close();
      await testbed.stop();
    },
  };
}

export async function openBed(): Promise<Bed> {
  const plane = await openPlane([]);
  try {
    const { http, kubeconfig, folder } = plane;
    const operatorKubeconfigPath = join(folder, 'operator.kubeconfig');
    const { access } = await installOperator({ kubeconfig, request: (...args) => http.request(...args) });
    const { token } = access.user;
    if (token?.kind !== 'inline') throw new Error('the service account has no token');
    const { server, ca } = accessFrom(kubeconfig);
    writeFileSync(operatorKubeconfigPath, kubeconfigOf(server, ca, token.text), { mode: 0o600 });
    return { ...plane, operatorKubeconfigPath };
  } catch (error) {
    await plane.close();
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
