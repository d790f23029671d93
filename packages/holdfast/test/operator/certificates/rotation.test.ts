import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CertificatePolicy, policyProblems } from '../../../src/trust/certificate-policy.ts';
import { maxAuthorities } from '../../../src/trust/rotation-plan.ts';
import { quickPolicy, RotationModel } from './rotation-model.ts';

type Event = (model: RotationModel) => void;

const who = fc.nat({ max: 1 });
const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 8, arbitrary: who.map((leader) => (model: RotationModel) => model.readConfigurations(leader)) },
  { weight: 8, arbitrary: who.map((leader) => (model: RotationModel) => model.readSecret(leader)) },
  { weight: 8, arbitrary: who.map((leader) => (model: RotationModel) => model.act(leader)) },
  { weight: 8, arbitrary: who.map((leader) => (model: RotationModel) => turn(model, leader)) },
  { weight: 6, arbitrary: who.map((replica) => (model: RotationModel) => model.refresh(replica)) },
  {
    weight: 4,
    arbitrary: fc.tuple(who, who).map(
      ([s, c]) =>
        (model: RotationModel) =>
          model.look(s, c),
    ),
  },
  { weight: 10, arbitrary: fc.nat({ max: 1_200 }).map((ms) => (model: RotationModel) => model.advance(ms)) },
  { weight: 1, arbitrary: fc.nat({ max: 50_000 }).map((ms) => (model: RotationModel) => model.advance(ms)) },
  { weight: 1, arbitrary: who.map((leader) => (model: RotationModel) => model.crash(leader)) },
  { weight: 1, arbitrary: fc.constant(seldom(loseSecret)) },
  { weight: 1, arbitrary: fc.constant(seldom(loseLeaf)) },
  { weight: 1, arbitrary: fc.constant(seldom(loseKey)) },
  { weight: 1, arbitrary: fc.constant(seldom(becomeFormer)) },
);

/** Each loss may cost an authority, and there is room for so many. */
function seldom(lose: Event): Event {
  return (model) => {
    model.losses += 1;
    if (model.losses < maxAuthorities - 2) lose(model);
  };
}

function turn(model: RotationModel, leader: number): void {
  model.readConfigurations(leader);
  model.readSecret(leader);
  model.act(leader);
}

/** Once its authorities are published: before, only the Secret had them. */
function loseSecret(model: RotationModel): void {
  const known = model.configurations.map(({ value }) => new Set(value.map(({ id }) => id)));
  const trusted = model.secret.value?.trusted ?? [];
  if (trusted.every(({ id }) => known.some((ids) => ids.has(id)))) model.store(undefined);
}

function loseLeaf(model: RotationModel): void {
  const { value } = model.secret;
  if (value) model.store({ ...value, leaf: undefined });
}

function loseKey(model: RotationModel): void {
  const { value } = model.secret;
  if (value) model.store({ ...value, signer: undefined, signerLimited: false });
}

/** The authority mutex out to be one of an earlier version, without limits, or of other names. */
function becomeFormer(model: RotationModel): void {
  const { value } = model.secret;
  if (value) model.store({ ...value, signerLimited: false });
}

/** Far cheaper than an expectation, and asked for after every event. */
function noViolation(model: RotationModel): void {
  const violation = model.violation();
  if (violation !== undefined) throw new Error(violation);
}

/** What a healthy cluster does all the time: every replica and API server looks every now and then. */
function calm(model: RotationModel, rounds: number, check: () => void): void {
  for (let round = 0; round < rounds; round += 1) {
    for (const leader of [0, 1]) turn(model, leader);
    for (const replica of [0, 1]) model.refresh(replica);
    check();
    model.advance(300);
    check();
  }
}

describe('rotation of certificates', () => {
  it('the policy of the model keeps its own rules', () => {
    expect(policyProblems(quickPolicy)).toEqual([]);
  });

  it('whatever is late, lost or crashes, a served leaf is trusted by every API server', () => {
    fc.assert(
      fc.property(fc.array(event, { minLength: 20, maxLength: 250, size: 'max' }), (events) => {
        const model = new RotationModel(quickPolicy);
        for (const happen of events) {
          happen(model);
          noViolation(model);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it.each<readonly [string, Partial<CertificatePolicy>]>([
    ['a leaf comes before API servers trust its signer', { settleMs: 0 }],
    ['an old authority goes before replicas have looked', { pickupMs: 0 }],
  ])('the check notices when %s', (_name, mistake) => {
    const wrong = { ...quickPolicy, ...mistake };
    const violated = fc.property(fc.array(event, { minLength: 20, maxLength: 250, size: 'max' }), (events) => {
      const model = new RotationModel(quickPolicy, wrong);
      return events.every((happen) => {
        happen(model);
        return model.violation() === undefined;
      });
    });
    expect(fc.check(violated, { numRuns: 1_000, endOnFailure: true }).failed).toBe(true);
  });

  it('after any trouble every replica serves again, and at most a new authority and the one before are left', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), (events) => {
        const model = new RotationModel(quickPolicy);
        for (const happen of events) happen(model);
        calm(model, 40, () => noViolation(model));
        expect(model.replicas.every((replica) => model.serves(replica))).toBe(true);
        expect(model.secret.value?.trusted.length).toBeLessThanOrEqual(2);
      }),
      { numRuns: 300 },
    );
  });

  it('over many lifetimes of an authority no replica ever stops serving', () => {
    const model = new RotationModel(quickPolicy);
    calm(model, 10, () => undefined);
    const first = model.secret.value?.signer;
    calm(model, 1_000, () => {
      noViolation(model);
      if (!model.replicas.every((replica) => model.serves(replica))) throw new Error('a replica stopped serving');
    });
    expect(model.secret.value?.signer).not.toBe(first);
    // 300 seconds hold twelve authorities of 24 seconds, and leaves of 6 seconds.
    expect(model.made).toBeGreaterThan(50);
    expect(model.made).toBeLessThan(120);
  });

  it('two that look at the same moment make one authority, not two', () => {
    const model = new RotationModel(quickPolicy);
    for (const leader of [0, 1]) model.readConfigurations(leader);
    for (const leader of [0, 1]) model.readSecret(leader);
    for (const leader of [0, 1]) model.act(leader);
    const signer = model.secret.value?.signer;
    calm(model, 3, () => undefined);
    expect(model.secret.value).toMatchObject({ signer, trusted: [{ id: signer }], leaf: { issuer: signer } });
  });
});
