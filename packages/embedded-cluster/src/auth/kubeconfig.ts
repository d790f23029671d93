import { rm } from 'node:fs/promises';
import { stringify } from 'yaml';
import type { KeyPair } from './pki.ts';
import { readIfThere, writePrivateFile } from './private-file.ts';

const name = 'holdfast';
const userName = 'holdfast-admin';

/** Files that start with this are ours to replace. */
const marker = '# Written by holdfast for its embedded cluster; replaced whenever the cluster starts.\n';

/** The user of the kubeconfig, who may do everything. */
export const adminUser = { name: userName, groups: ['system:masters'] } as const;

export interface KubeconfigOptions {
  /** `https://127.0.0.1:6443` */
  readonly server: string;
  readonly caCertificate: string;
  readonly client: KeyPair;
}

export function renderKubeconfig({ server, caCertificate, client }: KubeconfigOptions): string {
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server, 'certificate-authority-data': base64(caCertificate) } }],
    users: [
      {
        name: userName,
        user: {
          'client-certificate-data': base64(client.certificate),
          'client-key-data': base64(client.key),
        },
      },
    ],
    contexts: [{ name, context: { cluster: name, user: userName } }],
    'current-context': name,
  };
  return marker + stringify(config, { lineWidth: 0 });
}

/** Writes it whole or not at all, readable by its owner only. Throws when the path holds a file that is not ours. */
export async function writeKubeconfig(path: string, text: string): Promise<void> {
  const present = await readIfThere(path);
  if (present !== undefined && !present.startsWith(marker)) {
    throw new Error(`${path} exists and was not written by holdfast: choose another path, or move it away`);
  }
  await writePrivateFile(path, text);
}

/** Removes it if it still is what was written: another cluster may have put its own there since. */
export async function removeKubeconfig(path: string, text: string): Promise<boolean> {
  if ((await readIfThere(path)) !== text) return false;
  await rm(path, { force: true });
  return true;
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
