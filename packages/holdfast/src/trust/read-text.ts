import { open } from 'node:fs/promises';
import { isObject } from '@holdfast/base/json';

/** Mounted Secrets change by a link that is set to another folder, which not every way of watching sees: files are read again. */
export const lookEveryMs = 10_000;
const maxFileBytes = 64 * 1024;

type ReadText =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly problem: string; readonly missing: boolean };

export async function readTextFile(path: string): Promise<ReadText> {
  try {
    const file = await open(path);
    try {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(maxFileBytes + 1), 0, maxFileBytes + 1, 0);
      if (bytesRead > maxFileBytes) {
        return { ok: false, problem: `${path} is larger than ${maxFileBytes} bytes`, missing: false };
      }
      return { ok: true, text: buffer.toString('utf8', 0, bytesRead) };
    } finally {
      await file.close();
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const missing = isObject(error) && error['code'] === 'ENOENT';
    return { ok: false, problem: `${path} cannot be read: ${why}`, missing };
  }
}
