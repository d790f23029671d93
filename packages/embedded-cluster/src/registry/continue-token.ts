import { badRequest } from '../errors.ts';

export interface ContinueToken {
  /** 0: the newest. */
  readonly revision: number;
  /** The last key of the page before. */
  readonly after: string;
}

/** Opaque to clients, who must hand it back as it is. */
export function encodeContinue(token: ContinueToken): string {
  return Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: token.revision, start: token.after })).toString(
    'base64url',
  );
}

const maxTokenLength = 4096;

export function decodeContinue(text: string): ContinueToken {
  const token = text.length > maxTokenLength ? undefined : parse(text);
  if (!token) throw badRequest('invalid continue token: continue key is not valid: it is not one that a list returned');
  return token;
}

function parse(text: string): ContinueToken | undefined {
  try {
    const raw = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as {
      v?: unknown;
      rv?: unknown;
      start?: unknown;
    };
    if (raw.v !== 'meta.k8s.io/v1' || typeof raw.start !== 'string') return undefined;
    if (typeof raw.rv !== 'number' || !Number.isSafeInteger(raw.rv) || raw.rv < 0) return undefined;
    return { revision: raw.rv, after: raw.start };
  } catch {
    return undefined;
  }
}
