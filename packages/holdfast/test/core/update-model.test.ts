import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../../test/support/effort.ts';
import type { PodObject } from '../../../embedded-cluster/src/controllers/common/workloads.ts';
import { beginPod } from '../../../embedded-cluster/src/nodes/pods/begin-pod.ts';
import { stepPod } from '../../../embedded-cluster/src/nodes/pods/pod-machine.ts';
import type { PodState } from '../../../embedded-cluster/src/nodes/pods/pod-state.ts';
import { podStatus } from '../../../embedded-cluster/src/nodes/pods/pod-status.ts';
import type { Reservation } from '../../src/api/ledger.ts';
import type { Pod } from '../../src/api/pod.ts';
import { runsOf } from '../../src/core/container-runs.ts';
import { recordChange } from '../../src/core/ledger/change-record.ts';
import { changeOver } from '../../src/core/ledger/update-finished.ts';
import { PodRecord, readPod } from '../../src/core/world/pod-record.ts';

/**
 * A pod whose images change again and again, its kubelet, which looks when it likes and whose reports may be left out, and a leader
 * whose view is behind. Whenever the leader finds that a reservation is over, nothing may be under way.
 */

type Container = 'app' | 'proxy';

type Action =
  | { readonly kind: 'ask'; readonly container: Container; readonly image: number }
  | { readonly kind: 'store' }
  | { readonly kind: 'kubelet'; readonly report: boolean; readonly afterMs: number }
  | { readonly kind: 'look'; readonly behind: number };

const settings = { speed: 1, startDelayMs: 0, stopDelayMs: 1_000, jobRunMs: 1_000 };
const addresses = { podIp: '127.0.0.2', hostIp: '127.0.0.1' };

class Model {
  readonly #versions: PodObject[] = [];
  #state: PodState;
  #nowMs = Date.parse('2026-03-01T12:00:00Z');
  #reservation: Reservation | undefined;
  #inFlight: { readonly version: string; readonly container: Container; readonly image: string } | undefined;
  released = 0;

  constructor() {
    const containers = ['app', 'proxy'].map((name) => ({ name, image: `${name}:0` }));
    const metadata = { name: 'web-0', namespace: 'shop', uid: 'u', generation: 1, resourceVersion: '1' };
    this.#versions.push({ apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers, nodeName: 'n' } });
    this.#state = beginPod(this.#pod, this.#nowMs, 0.5, settings);
    this.act({ kind: 'kubelet', report: true, afterMs: 0 });
  }

  get #pod(): PodObject {
    return this.#versions.at(-1) as PodObject;
  }

  act(action: Action): void {
    if (action.kind === 'ask') this.#ask(action.container, `${action.container}:${action.image}`);
    else if (action.kind === 'store') this.#store();
    else if (action.kind === 'kubelet') this.#kubelet(action.report, action.afterMs);
    else this.#look(action.behind);
  }

  /** The webhook is asked, and allows it by the reservation that there may be. */
  #ask(container: Container, image: string): void {
    const pod = this.#pod;
    if (pod.spec.containers.some((one) => one.name === container && one.image === image)) return;
    const { resourceVersion = '', generation = 0 } = pod.metadata;
    const runs = runsOf(pod as Pod);
    const change = recordChange(
      { resourceVersion, generation, runs, kind: 'spec', restarts: [container] },
      this.#reservation,
    );
    const common = { pod: 'web-0', uid: 'u', operation: 'UPDATE', time: '', view: '' } as const;
    this.#reservation = { ...common, generation, change };
    this.#inFlight = { version: resourceVersion, container, image };
  }

  /** Only on top of the version that the webhook was shown. */
  #store(): void {
    const wanted = this.#inFlight;
    this.#inFlight = undefined;
    const { metadata, spec, ...rest } = this.#pod;
    if (wanted === undefined || metadata.resourceVersion !== wanted.version) return;
    const containers = spec.containers.map((one) =>
      one.name === wanted.container ? { ...one, image: wanted.image } : one,
    );
    const generation = (metadata.generation ?? 0) + 1;
    this.#write({ ...rest, metadata: { ...metadata, generation }, spec: { ...spec, containers } });
  }

  #write(pod: PodObject): void {
    const resourceVersion = String(this.#versions.length + 1);
    this.#versions.push({ ...pod, metadata: { ...pod.metadata, resourceVersion } });
  }

  #kubelet(report: boolean, afterMs: number): void {
    this.#nowMs += afterMs;
    this.#state = stepPod(this.#pod, this.#state, this.#nowMs, settings).state;
    if (!report) return;
    const status = podStatus(this.#pod, this.#state, addresses, this.#nowMs);
    if (JSON.stringify(status) !== JSON.stringify(this.#pod.status)) this.#write({ ...this.#pod, status });
  }

  #look(behind: number): void {
    const seen = this.#versions.at(-1 - Math.min(behind, this.#versions.length - 1)) as PodObject;
    const record = new PodRecord('shop', 'web-0');
    readPod(record, seen as Pod);
    if (this.#reservation === undefined || changeOver(this.#reservation, record) === undefined) return;
    expect(this.#underWay()).toEqual([]);
    this.#reservation = undefined;
    this.released += 1;
  }

  #underWay(): readonly string[] {
    const inFlight = this.#inFlight?.version === this.#pod.metadata.resourceVersion ? ['a request'] : [];
    const busy = this.#state.containers
      .filter(({ name, image, run, change }) => {
        const wanted = this.#pod.spec.containers.find((one) => one.name === name)?.image;
        return change !== undefined || run.kind !== 'running' || image !== wanted;
      })
      .map(({ name }) => name);
    return [...inFlight, ...busy];
  }
}

const ask = fc.record({
  kind: fc.constant('ask' as const),
  container: fc.constantFrom<Container>('app', 'app', 'proxy'),
  image: fc.integer({ min: 0, max: 2 }),
});
const store = fc.record({ kind: fc.constant('store' as const) });
const kubelet = fc.record({
  kind: fc.constant('kubelet' as const),
  report: fc.boolean(),
  afterMs: fc.constantFrom(0, 10, 1_000, 1_000),
});
const look = fc.record({ kind: fc.constant('look' as const), behind: fc.constantFrom(0, 0, 1, 3) });
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 1, arbitrary: ask },
  { weight: 2, arbitrary: store },
  { weight: 5, arbitrary: kubelet },
  { weight: 4, arbitrary: look },
);

describe('updates in place in any order', () => {
  it('[L8] are over when nothing is under way any more', () => {
    const lives = runs({ short: 500, long: 2_000 });
    let released = 0;
    fc.assert(
      fc.property(fc.array(action, { maxLength: 50, size: 'max' }), (actions) => {
        const model = new Model();
        for (const one of actions) model.act(one);
        released += model.released;
      }),
      { numRuns: lives },
    );
    expect(released).toBeGreaterThan(lives / 10);
  });
});
