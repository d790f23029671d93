import { describe, expect, it } from 'vitest';
import { Deadline } from '../../../src/operator/admission/deadline.ts';
import { type AdmissionAnswer, readReview } from '../../../src/operator/admission/wire/review.ts';
import { statefulSetsHandler } from '../../../src/operator/handlers/statefulsets.ts';
import { TestClock } from '../../kube/support/test-clock.ts';
import { type ReviewWish, reviewText } from '../admission/reviews.ts';

type Json = Readonly<Record<string, unknown>>;

const word = 'holdfast.dev/update-strategy';
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';
const enforced = { type: 'EnforcedRollingUpdate' };
const rolling = { type: 'RollingUpdate', rollingUpdate: { partition: 0 } };
const asked = { [word]: 'EnforcedRollingUpdate' };

function set(updateStrategy: unknown, annotations?: Json, metadata: Json = {}): Json {
  const own = annotations === undefined ? {} : { annotations };
  return { metadata: { name: 'web', ...own, ...metadata }, spec: { updateStrategy } };
}

/** As kubectl apply leaves it behind: the annotation is ours, and the file said this. */
function applied(file: Json, updateStrategy: unknown = rolling, annotations: Json = asked): Json {
  return set(updateStrategy, { ...annotations, [lastApplied]: JSON.stringify(file) });
}

async function answer(wish: ReviewWish, enabled = true): Promise<AdmissionAnswer> {
  const resource = { group: 'apps', version: 'v1', resource: 'statefulsets' };
  const read = readReview(Buffer.from(reviewText({ operation: 'CREATE', resource, name: 'web', ...wish })));
  if (!read.ok) throw new Error(read.problem);
  return statefulSetsHandler({ enabled }).answer(read.request, { deadline: new Deadline(new TestClock(), 9_000) });
}

async function patched(object: Json, oldObject?: Json): Promise<readonly string[]> {
  const said = await answer(oldObject === undefined ? { object } : { operation: 'UPDATE', object, oldObject });
  if (!said.allowed) throw new Error(said.message);
  return (said.patch ?? []).map(
    ({ op, path, value }) => `${op} ${path}${value === undefined ? '' : ` ${JSON.stringify(value)}`}`,
  );
}

const type = 'replace /spec/updateStrategy/type "RollingUpdate"';
const add = 'add /metadata/annotations/holdfast.dev~1update-strategy "EnforcedRollingUpdate"';
const leave = 'remove /metadata/annotations/holdfast.dev~1update-strategy';
const partition = 'add /spec/updateStrategy/rollingUpdate {"partition":0}';

describe('a set whose strategy is almost ours', () => {
  it.each(['enforcedRollingUpdate', 'EnforcedRollingupdate'])(
    '%s gets a hint before the API server refuses it',
    async (type) => {
      const hint = `spec.updateStrategy.type: Unsupported value: "${type}": supported values: "RollingUpdate", "OnDelete", "EnforcedRollingUpdate"; did you mean "EnforcedRollingUpdate"?`;
      expect(await answer({ object: set({ type }) })).toEqual({ allowed: true, warnings: [hint] });
    },
  );

  it.each(['RollingUpdate', 'OnDelete', 'Recreate'])('%s gets none', async (type) => {
    expect(await answer({ object: set({ type }) })).not.toHaveProperty('warnings');
  });
});

describe('[R4] a set that asks by its strategy', () => {
  it('gets the annotation, and a partition that Kubernetes would give it', async () => {
    const map = 'add /metadata/annotations {"holdfast.dev/update-strategy":"EnforcedRollingUpdate"}';
    expect(await patched(set(enforced))).toEqual([type, map, partition]);
    expect(await patched(set(enforced, { other: 'x' }))).toEqual([type, add, partition]);
  });

  it('keeps its own partition, and the annotation that it has', async () => {
    expect(await patched(set({ ...enforced, rollingUpdate: { partition: 2 } }, asked))).toEqual([type]);
  });

  it('is told when that changes nothing', async () => {
    const object = { ...set(enforced), spec: { updateStrategy: enforced, podManagementPolicy: 'Parallel' } };
    expect(await answer({ object })).toMatchObject({ allowed: true, warnings: [expect.stringContaining('Parallel')] });
  });
});

describe('[R4] a set that asks by its annotation', () => {
  it('is as it should be', async () => expect(await patched(set(rolling, asked))).toEqual([]));
  it('gets a partition', async () => expect(await patched(set({ type: 'RollingUpdate' }, asked))).toEqual([partition]));
});

describe('[R4] opting out', () => {
  const old = applied(set(enforced));
  const declared = {
    managedFields: [{ operation: 'Apply', fieldsV1: { 'f:metadata': { 'f:annotations': { [`f:${word}`]: {} } } } }],
  };
  const stories: Readonly<Record<string, [Json, Json, readonly string[]]>> = {
    'a file that said the strategy and does not any more': [old, applied(set({ type: 'RollingUpdate' })), [leave]],
    'a file that said the strategy and says none': [old, applied(set(undefined)), [leave]],
    'a file that says it still': [old, applied(set(enforced)), []],
    'a file that never said it': [applied(set(rolling)), applied(set(rolling)), []],
    'a file that said the strategy and says the annotation now': [old, applied(set(rolling, asked)), []],
    'an unreadable manifest': [old, set(rolling, { ...asked, [lastApplied]: '{' }), []],
    'no file any more': [old, set(rolling, asked), []],
    'an annotation that comes with a file that does not say it': [set(rolling), applied(set(rolling)), []],
    OnDelete: [set({ type: 'RollingUpdate' }, asked), set({ type: 'OnDelete' }, asked), [leave]],
    'OnDelete beside a partition of ours': [
      set(rolling, asked),
      set({ ...rolling, type: 'OnDelete' }, asked),
      [leave, 'remove /spec/updateStrategy/rollingUpdate'],
    ],
    'OnDelete beside a partition of their own, which is a mistake': [
      set(rolling, asked),
      set({ type: 'OnDelete', rollingUpdate: { partition: 1 } }, asked),
      [leave],
    ],
    'OnDelete with an annotation of their own': [set(rolling, asked), set({ type: 'OnDelete' }, asked, declared), []],
    'OnDelete as it was': [set({ type: 'OnDelete' }, asked), set({ type: 'OnDelete' }, asked), []],
  };
  for (const [sentence, [before, after, wanted]] of Object.entries(stories)) {
    it(sentence, async () => expect(await patched(after, before)).toEqual(wanted));
  }
});

describe('[R4] a mistake', () => {
  const wrong = { ...asked, 'holdfast.dev/rollout-settle-seconds': 'soon' };

  it.each([
    ['in a new set', { object: set(enforced, wrong) }],
    ['that comes in', { operation: 'UPDATE', object: set(rolling, wrong), oldObject: set(rolling, asked) }],
  ])('%s is refused', async (_, wish) => {
    expect(await answer(wish)).toMatchObject({ allowed: false, code: 422, reason: 'Invalid' });
  });

  it.each([
    ['that was there already', set(rolling, wrong), set(rolling, wrong)],
    ['of a set that is going', set(rolling, wrong, { deletionTimestamp: '2026-01-01T00:00:00Z' }), set(rolling, asked)],
  ])('%s does not prevent a change of something else', async (_, object, oldObject) => {
    expect(await answer({ operation: 'UPDATE', object, oldObject })).toMatchObject({ allowed: true });
  });

  it('of the API server is said', async () => {
    expect(await answer({ object: 'x' })).toMatchObject({ allowed: false, code: 400 });
    expect(await answer({ operation: 'UPDATE', object: set(enforced) })).toMatchObject({ allowed: false, code: 400 });
  });
});

describe('with the feature gate off', () => {
  it('the strategy is refused with a reason', async () => {
    const message = expect.stringContaining('needs the feature gate EnforcedRollingUpdateInStatefulSet');
    expect(await answer({ object: set(enforced) }, false)).toMatchObject({ allowed: false, code: 422, message });
  });

  it('annotations are left alone, right or wrong', async () => {
    const wrong = set({ type: 'RollingUpdate' }, { [word]: 'x' });
    expect(await answer({ object: wrong }, false)).toEqual({ allowed: true });
  });
});

describe('what is not asked', () => {
  it.each([
    ['a deletion', { operation: 'DELETE', oldObject: set(enforced) }],
    ['a scale', { operation: 'UPDATE', subResource: 'scale', object: set(enforced) }],
    ['another kind', { object: set(enforced), resource: { group: 'apps', version: 'v1', resource: 'deployments' } }],
  ])('%s passes', async (_, wish) => expect(await answer(wish)).toEqual({ allowed: true }));
});

it('[I4] in doubt nothing is stored', () => {
  const read = readReview(Buffer.from(reviewText({ operation: 'CREATE' })));
  if (!read.ok) throw new Error(read.problem);
  const handler = statefulSetsHandler({ enabled: true });
  expect(handler.inDoubt(read.request, 'failed')).toMatchObject({ allowed: false, code: 503 });
});
