import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CertificatePolicy } from '../../../src/trust/certificate-policy.ts';
import {
  bare,
  type ListedSegment,
  noPathsSeen,
  observePaths,
  type PathSightings,
  planPaths,
} from '../../../src/trust/path-segments.ts';
import { quickPolicy } from './rotation-model.ts';

interface Versioned<T> {
  readonly version: number;
  readonly value: T;
}

interface Leader {
  sightings: PathSightings;
  /** What it read, in this order: the configurations, the Secret, the configurations again. */
  before?: readonly Versioned<string>[];
  secret?: Versioned<readonly ListedSegment[]>;
  carried: ReadonlySet<string>;
}

/** A cluster as far as paths go: two leaders that may both believe in themselves, two configurations, two API servers. */
class PathModel {
  nowMs = 1_000_000;
  secret: Versioned<readonly ListedSegment[]> = { version: 1, value: [] };
  readonly configurations: Versioned<string>[] = [bare, bare].map((value) => ({ version: 1, value }));
  readonly leaders: readonly Leader[] = [0, 1].map(() => ({ sightings: noPathsSeen, carried: new Set<string>() }));
  /** What each API server calls by for each configuration, and when it looked last. */
  readonly views = [0, 1].map(() => this.configurations.map(({ value }) => ({ path: value, lookedMs: this.nowMs })));
  readonly planned: CertificatePolicy;
  made = 0;

  constructor(planned: CertificatePolicy) {
    this.planned = planned;
  }

  readConfigurations(index: number): void {
    const leader = this.leader(index);
    leader.before = [...this.configurations];
    delete leader.secret;
  }

  readSecret(index: number): void {
    const leader = this.leader(index);
    if (leader.before === undefined) return;
    leader.secret = this.secret;
    leader.carried = new Set([...leader.before, ...this.configurations].map(({ value }) => value));
    const versions = this.configurations.map(({ version }) => version).join();
    leader.sightings = observePaths(leader.sightings, this.secret.value, leader.carried, versions, this.nowMs);
  }

  act(index: number): void {
    const { before, secret, carried, sightings } = this.leader(index);
    if (before === undefined || secret === undefined) return;
    const facts = { listed: secret.value, carried, seen: sightings };
    const { list, publish } = planPaths(facts, () => `path-${this.made++}`, this.nowMs, this.planned);
    if (publish !== undefined) {
      for (const [at, { version }] of before.entries()) {
        if (this.configurations[at]?.version === version) this.write(at, publish);
      }
    }
    if (list !== undefined && this.secret.version === secret.version) this.store(list);
    delete this.leader(index).secret;
  }

  crash(index: number): void {
    this.leader(index).sightings = noPathsSeen;
    delete this.leader(index).secret;
  }

  write(at: number, path: string): void {
    const current = this.configurations[at];
    if (current === undefined || current.value === path) return;
    this.configurations[at] = { version: current.version + 1, value: path };
  }

  store(value: readonly ListedSegment[]): void {
    this.secret = { version: this.secret.version + 1, value };
  }

  look(server: number, at: number): void {
    const view = this.views[server]?.[at];
    const configuration = this.configurations[at];
    if (view === undefined || configuration === undefined) return;
    view.path = configuration.value;
    view.lookedMs = this.nowMs;
  }

  /** No view of a configuration is ever older than the time to settle. */
  advance(ms: number): void {
    for (const [server, ofServer] of this.views.entries()) {
      for (const [at, view] of ofServer.entries()) {
        if (this.nowMs + ms - view.lookedMs >= quickPolicy.settleMs) this.look(server, at);
      }
    }
    this.nowMs += ms;
  }

  /** A path by which an API server calls, and that a replica refuses which has just asked what is accepted. */
  violation(): string | undefined {
    const accepted = new Set([
      ...this.secret.value.map(({ segment }) => segment),
      ...this.configurations.map(({ value }) => value),
    ]);
    return this.views.flat().find(({ path }) => !accepted.has(path))?.path;
  }

  private leader(index: number): Leader {
    const leader = this.leaders[index];
    if (leader === undefined) throw new Error('there are two leaders');
    return leader;
  }
}

type Event = (model: PathModel) => void;

const who = fc.nat({ max: 1 });
const by = (act: (model: PathModel, one: number) => void) => who.map((one) => (model: PathModel) => act(model, one));
const turn = (model: PathModel, one: number) => {
  model.readConfigurations(one);
  model.readSecret(one);
  model.act(one);
};
const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 8, arbitrary: by((model, one) => model.readConfigurations(one)) },
  { weight: 8, arbitrary: by((model, one) => model.readSecret(one)) },
  { weight: 8, arbitrary: by((model, one) => model.act(one)) },
  { weight: 8, arbitrary: by(turn) },
  {
    weight: 4,
    arbitrary: fc.tuple(who, who).map(
      ([s, c]) =>
        (model: PathModel) =>
          model.look(s, c),
    ),
  },
  { weight: 10, arbitrary: fc.nat({ max: 900 }).map((ms) => (model: PathModel) => model.advance(ms)) },
  { weight: 1, arbitrary: fc.nat({ max: 20_000 }).map((ms) => (model: PathModel) => model.advance(ms)) },
  { weight: 1, arbitrary: by((model, one) => model.crash(one)) },
  { weight: 1, arbitrary: by(applyAgain) },
  { weight: 1, arbitrary: fc.constant(loseSecret) },
);

/** A manifest is applied again; not in the moment after the Secret was lost: then nothing knows what it replaces. */
function applyAgain(model: PathModel, at: number): void {
  const replaced = model.configurations[at]?.value;
  if (model.secret.value.some(({ segment }) => segment === replaced)) model.write(at, bare);
}

/** When every API server has looked and no leader is about to write: what the Secret alone knew cannot be known without it. */
function loseSecret(model: PathModel): void {
  for (const server of [0, 1]) for (const at of [0, 1]) model.look(server, at);
  for (const leader of model.leaders) delete leader.secret;
  model.store([]);
}

const events = fc.array(event, { minLength: 20, maxLength: 250, size: 'max' });

function holds(model: PathModel, happenings: readonly Event[]): boolean {
  return happenings.every((happen) => {
    happen(model);
    return model.violation() === undefined;
  });
}

describe('[I13] rotation of paths', () => {
  it('whatever is late, lost or crashes, every API server calls by a path that is accepted', () => {
    fc.assert(
      fc.property(events, (happenings) => holds(new PathModel(quickPolicy), happenings)),
      { numRuns: 1_500 },
    );
  });

  it('the check notices when a replaced path is dropped at once', () => {
    const wrong = { ...quickPolicy, pathGraceMs: 0 };
    const violated = fc.property(events, (happenings) => holds(new PathModel(wrong), happenings));
    expect(fc.check(violated, { numRuns: 1_500, endOnFailure: true }).failed).toBe(true);
  });

  it('after any trouble one path is carried, bare paths are refused, and it is renewed in time', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), (happenings) => {
        const model = new PathModel(quickPolicy);
        for (const happen of happenings) happen(model);
        for (let round = 0; round < 60; round += 1) {
          turn(model, 0);
          model.advance(100);
        }
        const [first, second] = model.configurations.map(({ value }) => value);
        expect(first).toBe(second);
        expect(first).not.toBe(bare);
        expect(model.secret.value.map(({ segment }) => segment)).not.toContain(bare);
        expect(model.nowMs - (model.secret.value[0]?.madeMs ?? 0)).toBeLessThanOrEqual(quickPolicy.pathLifetimeMs);
      }),
      { numRuns: 300 },
    );
  });
});
