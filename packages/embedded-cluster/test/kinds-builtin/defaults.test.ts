import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { builtinStrategies } from '../../src/kinds/builtin/strategies.ts';
import { clone, type KubeObject } from '../../src/objects.ts';
import { context, strategyOf } from './support.ts';

interface Example {
  readonly object: KubeObject;
}

const examples: readonly Example[] = ['defaults.json', 'refusals.json'].flatMap((file) =>
  JSON.parse(readFileSync(new URL(`./recorded/${file}`, import.meta.url), 'utf8')),
);

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const item of Object.values(value)) freeze(item);
    Object.freeze(value);
  }
  return value;
}

/** Puts any JSON into any place of an object. */
const damaged = fc
  .tuple(fc.constantFrom(...examples), fc.array(fc.nat(), { maxLength: 6 }), fc.jsonValue())
  .map(([example, steps, value]) => {
    const object = clone(example.object);
    let place: Record<string, unknown> = object;
    for (const step of steps) {
      const keys = Object.keys(place).filter((key) => key !== 'metadata' && key !== 'kind' && key !== 'apiVersion');
      const key = keys[step % Math.max(1, keys.length)];
      if (key === undefined) break;
      const next = place[key];
      if (typeof next !== 'object' || next === null) {
        place[key] = value;
        break;
      }
      place = next as Record<string, unknown>;
    }
    return object;
  });

describe('defaults', () => {
  it('are the same when they are applied twice, also to objects of the wrong shape', () => {
    fc.assert(
      fc.property(damaged, (object) => {
        const { applyDefaults } = strategyOf(object.kind);
        applyDefaults?.(object);
        const once = clone(object);
        applyDefaults?.(object);
        expect(object).toEqual(once);
      }),
      { numRuns: 500 },
    );
  });

  it('change nothing in an object that has them: what is stored may be shared', () => {
    for (const { object } of examples) {
      const draft = clone(object);
      const { applyDefaults } = strategyOf(draft.kind);
      applyDefaults?.(draft);
      applyDefaults?.(freeze(draft));
    }
  });
});

describe('rules', () => {
  it('judge objects of the wrong shape without failing', () => {
    fc.assert(
      fc.property(damaged, damaged, (object, other) => {
        const strategy = strategyOf(object.kind);
        strategy.applyDefaults?.(object);
        strategy.validate?.(object, context);
        const old = { ...clone(object), spec: other['spec'], status: other['status'] };
        strategy.validateUpdate?.(object, old, context);
        for (const subresource of ['status', 'resize']) {
          strategy.prepareForSubresource?.(subresource, clone(object), old, context);
          strategy.validateSubresource?.(subresource, object, old);
        }
        strategy.selectableFields?.(object);
        strategy.gracePeriodSeconds?.(object, undefined);
      }),
      { numRuns: 500 },
    );
  });

  it('are not fooled by names from the prototype', () => {
    const pod: KubeObject = JSON.parse(
      '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":{"containers":[{"name":"a","image":"b","resources":{"limits":{"__proto__":"1","constructor":"1"}}}]}}',
    );
    const strategy = strategyOf('Pod');
    strategy.applyDefaults?.(pod);
    const fields = strategy.validate?.(pod, context).map((error) => error.field);
    expect(fields).toContain('spec.containers[0].resources.limits[constructor]');
    expect(builtinStrategies.get('constructor')).toBeUndefined();
  });
});
