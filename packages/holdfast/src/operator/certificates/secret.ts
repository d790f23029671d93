import { isObject } from '@holdfast/base/json';
import type { Secret } from 'kubernetes-types/core/v1.js';
import { type SecretTexts, secretKeys } from '../../trust/read-certificates.ts';

/** Decodes a Secret's data without trusting it. Data that is not base64 gives nonsense, which the parser of certificates reports. */
export function secretTexts(data: unknown): SecretTexts {
  const texts = new Map<string, string>();
  if (!isObject(data)) return texts;
  for (const key of Object.values(secretKeys)) {
    const value = Object.hasOwn(data, key) ? data[key] : undefined;
    if (typeof value === 'string') texts.set(key, Buffer.from(value, 'base64').toString());
  }
  return texts;
}

/** The Secret as it is to be. `before`: the one that it replaces, and no other; without it, there must be none. */
export function secretOf(
  place: { readonly namespace: string; readonly name: string },
  texts: SecretTexts,
  before?: Secret,
): Secret {
  const data = Object.fromEntries([...texts].map(([key, text]) => [key, Buffer.from(text).toString('base64')]));
  const { namespace, name } = place;
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    // Not of the type for TLS: that one must have a leaf, and while an authority is new there is none yet.
    type: 'Opaque',
    ...before,
    metadata: { ...before?.metadata, namespace, name },
    data,
  };
}
