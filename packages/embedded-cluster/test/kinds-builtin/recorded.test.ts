import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { JsonObject, KubeObject } from '../../src/objects.ts';
import { created, createErrors, updateErrors } from './support.ts';

/** What kube-apiserver 1.37.1 answered to these requests. */
interface Refusal {
  readonly name: string;
  readonly object: KubeObject;
  readonly errors: readonly string[];
}

interface RefusedUpdate extends Refusal {
  readonly old: KubeObject;
  readonly subresource: string;
}

function recorded<T>(file: string): readonly T[] {
  return JSON.parse(readFileSync(new URL(`./recorded/${file}`, import.meta.url), 'utf8'));
}

/** The API server goes through maps in any order; differences of structures are shown in another way here. */
function comparable(errors: readonly string[]): readonly string[] {
  return errors.map((error) => withoutLongValue(error.split('\n')[0] ?? '')).toSorted();
}

/** Whole templates are printed with the names that the API server uses inside; clients do not read that. */
function withoutLongValue(error: string): string {
  return error.length < 200 ? error : error.replace(/Invalid value: [[{].*: field is immutable$/, 'field is immutable');
}

interface Defaulted {
  readonly name: string;
  readonly object: KubeObject;
  readonly result: KubeObject;
}

/** Filled in by admission, by the address allocator, or by the encoding of empty structures. */
const fromElsewhere: Readonly<Record<string, readonly string[]>> = {
  Pod: ['priority', 'preemptionPolicy', 'tolerations', 'resizePolicy'],
  Service: ['clusterIP', 'clusterIPs'],
  Node: ['taints'],
  PodGroup: ['priority'],
};

/** Empty fields that are written or left out alike. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const there = Object.entries(value).filter(([, field]) => field !== null);
  return Object.fromEntries(there.map(([key, field]) => [key, withoutNulls(field)]));
}

function withoutForeign(object: KubeObject): unknown {
  const copy: KubeObject = JSON.parse(JSON.stringify(object).replaceAll(/"\d{4}-\d\d-\d\dT[\d:]*Z"/g, '"some time"'));
  const spec = (copy['spec'] ?? {}) as JsonObject;
  for (const key of fromElsewhere[object.kind] ?? []) delete spec[key];
  const { labels, annotations } = copy.metadata;
  return { ...copy, metadata: { ...(labels ? { labels } : {}), ...(annotations ? { annotations } : {}) } };
}

describe('a created object gets what the real API server fills in:', () => {
  it.each(recorded<Defaulted>('defaults.json'))('$name', ({ object, result }) => {
    const made = withoutForeign(created(object, result.metadata.uid));
    expect(withoutNulls(made)).toEqual(withoutNulls(withoutForeign(result)));
  });
});

describe('a create request is refused as the real API server does, for', () => {
  it.each(recorded<Refusal>('refusals.json'))('$name', ({ object, errors }) => {
    expect(comparable(createErrors(object))).toEqual(comparable(errors));
  });
});

describe('an update is refused as the real API server does, for', () => {
  it.each(recorded<RefusedUpdate>('refused-updates.json'))('$name', ({ object, old, subresource, errors }) => {
    expect(comparable(updateErrors(object, old, subresource))).toEqual(comparable(errors));
  });
});
