import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/cluster/objects.ts';
import { createErrors, updateErrors } from './support.ts';

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
  return errors.map((error) => error.split('\n')[0] ?? '').toSorted();
}

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
