import { describe, expect, it } from 'vitest';
import type { PodObject } from '../../src/controllers/common/workloads.ts';
import { sim } from '../../src/nodes/annotations.ts';
import { exitOf } from '../../src/nodes/pods/container-end.ts';
import type { ContainerRecord, MachineSettings } from '../../src/nodes/pods/pod-state.ts';

const job = { apiVersion: 'batch/v1', kind: 'Job', name: 'j', uid: 'u', controller: true };

function pod(container: object, annotations: Record<string, string> = {}, owned = true): PodObject {
  const metadata = { name: 'p', namespace: 'n', annotations, ...(owned ? { ownerReferences: [job] } : {}) };
  const spec = { restartPolicy: 'Never', containers: [{ name: 'main', image: 'i', ...container }] };
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec } as unknown as PodObject;
}

const settings: MachineSettings = { speed: 1, startDelayMs: 500, stopDelayMs: 200, jobRunMs: 3_000 };
const main = { name: 'main', role: 'main' } as ContainerRecord;

/** After how many seconds the container of a pod ends. */
function seconds(of: PodObject, other: Partial<MachineSettings> = {}): number | undefined {
  const exit = exitOf(of, main, 0, { ...settings, ...other });
  return exit && exit.atMs / 1000;
}

describe('how long a container of a Job runs', () => {
  it.each<[what: string, container: object, want: number]>([
    ['as long as all that say nothing', {}, 3],
    ['as long as it sleeps', { command: ['sleep', '300'] }, 300],
    ['with the time among its arguments', { command: ['/bin/sleep'], args: ['2m'] }, 120],
    ['with a part of a second', { command: ['/usr/bin/sleep', '0.5'] }, 0.5],
    ['not by what a shell would make of it', { command: ['sh', '-c', 'sleep 300'] }, 3],
    ['not by a sleep that is none', { command: ['sleep', 'well'] }, 3],
    ['not by more than one time', { command: ['sleep', '1', '2'] }, 3],
    ['not by a program of another name', { command: ['/opt/sleep', '300'] }, 3],
  ])('%s', (_what, container, want) => expect(seconds(pod(container))).toBe(want));

  it('is what its annotation says, whatever it sleeps', () => {
    expect(seconds(pod({ command: ['sleep', '300'] }, { [sim.runSeconds]: '7' }))).toBe(7);
  });

  it('is shorter where time is faster', () => {
    expect(seconds(pod({ command: ['sleep', '300'] }), { speed: 10 })).toBe(30);
  });

  it('is without end where Jobs run on, also for those that sleep, unless an annotation says otherwise', () => {
    const jobRunMs = Number.POSITIVE_INFINITY;
    expect(seconds(pod({ command: ['sleep', '300'] }), { jobRunMs })).toBeUndefined();
    expect(seconds(pod({}, { [sim.runSeconds]: '7' }), { jobRunMs })).toBe(7);
  });

  it('has no end where nothing waits for it', () => {
    expect(seconds(pod({ command: ['sleep', '300'] }, {}, false))).toBeUndefined();
  });
});
