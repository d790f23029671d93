import type { ApiProblem } from '../model.ts';
import { plainJson } from './plain-json.ts';

export type Answer<T> =
  | { readonly kind: 'answer'; readonly value: T }
  | { readonly kind: 'problem'; readonly problem: ApiProblem };

/** A question to the local server. What goes wrong is an answer as well. */
export async function ask<T>(path: string, body?: unknown): Promise<Answer<T>> {
  const request: RequestInit =
    body === undefined
      ? {}
      : { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
  try {
    const response = await fetch(path, request);
    const value: unknown = plainJson(await response.text());
    return response.ok ? { kind: 'answer', value: value as T } : { kind: 'problem', problem: value as ApiProblem };
  } catch {
    return { kind: 'problem', problem: unreachable };
  }
}

const unreachable: ApiProblem = {
  problem: 'failed',
  message: 'holdfast ui does not answer',
  advice: 'check that it still runs in its terminal',
};

/** `api/nodes/NAME`, with every part encoded: names come from a cluster. */
export function pathOf(...parts: readonly string[]): string {
  return `api/${parts.map(encodeURIComponent).join('/')}`;
}
