import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { stringify } from 'yaml';
import type { KeyPair } from './pki.ts';

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
  const directory = dirname(path);
  await mkdir(directory, { recursive: true });
  const temporary = join(directory, `.holdfast-${randomUUID()}.tmp`);
  try {
    await writeNew(temporary, text);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** `wx` and the mode together: at no moment is there a file that others can read, or a link that is followed. */
async function writeNew(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
