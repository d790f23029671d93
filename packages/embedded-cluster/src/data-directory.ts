import { join } from 'node:path';
import { createPki, type Pki, type PkiMaterial, restorePki } from './auth/pki.ts';
import { readIfThere, writePrivateFile } from './auth/private-file.ts';
import { openDurableStore, type Recovered } from './store/durable/durable-store.ts';
import type { Store } from './store/store.ts';
import { realClock } from './time/clock.ts';

/** What a cluster keeps over restarts: its objects, and its keys, so that what was handed out stays valid. */
export type OpenedData =
  | { readonly ok: true; readonly store: Store; readonly pki: Pki; readonly recovered: Recovered }
  | { readonly ok: false; readonly message: string };

const pkiFile = 'pki.json';

export async function openDataDirectory(directory: string, report: (message: string) => void): Promise<OpenedData> {
  const opening = await openDurableStore({ directory, report });
  if (!opening.ok) return { ok: false, message: opening.message };
  const { store, recovered } = opening;
  try {
    return { ok: true, store, recovered, pki: await keptPki(join(directory, pkiFile)) };
  } catch (error) {
    await store.close();
    const message = error instanceof Error ? error.message : String(error);
    return { ok: false, message: `${join(directory, pkiFile)} cannot be used: ${message}` };
  }
}

async function keptPki(path: string): Promise<Pki> {
  const kept = await readIfThere(path);
  const pki =
    kept === undefined
      ? createPki({ clock: realClock })
      : restorePki(JSON.parse(kept) as PkiMaterial, { clock: realClock });
  const text = JSON.stringify(pki.material);
  if (text !== kept) await writePrivateFile(path, text);
  return pki;
}
