import type { StringMap } from '@holdfast/base/meta';
import type { Container, ContainerStatus, Pod } from '../api/pod.ts';
import { compareStrings } from './compare.ts';
import { digest } from './digest.ts';

/** Which run of a container a kubelet reports, and what the spec asks of the container. */
export interface ContainerRun {
  readonly name: string;
  /** Digest of its containerID, which every run has of its own. Image names tell nothing: two names may mean one image. */
  readonly id: string;
  readonly restartCount: number;
  readonly started: boolean;
  /** Digest of the image and the resources that the spec asks for, which may not be what this run has. */
  readonly demand: string;
}

/** The runs of a pod's containers in a few bytes each: worlds hold a hundred thousand pods. */
export function encodeRuns(pod: Pod): string {
  return runsOf(pod)
    .map(({ name, id, restartCount, started, demand }) => `${name} ${id} ${restartCount} ${started ? 1 : 0} ${demand}`)
    .join();
}

export function decodeRuns(text: string): ReadonlyMap<string, ContainerRun> {
  const runs = new Map<string, ContainerRun>();
  for (const entry of text === '' ? [] : text.split(',')) {
    const [name = '', id = '', restartCount, started, demand = ''] = entry.split(' ');
    runs.set(name, { name, id, restartCount: Number(restartCount), started: started === '1', demand });
  }
  return runs;
}

export function runsOf({ spec, status }: Pod): readonly ContainerRun[] {
  return [
    ...(status?.containerStatuses ?? []).map((one) => runOf(one, spec?.containers)),
    ...(status?.initContainerStatuses ?? []).map((one) => runOf(one, spec?.initContainers)),
  ];
}

function runOf(status: ContainerStatus, containers: readonly Container[] = []): ContainerRun {
  const { name, containerID = '', restartCount = 0, started = false } = status;
  const container = containers.find((one) => one.name === name);
  return { name, id: digest(containerID), restartCount, started, demand: demandOf(container) };
}

/** In one order, whatever the order of the JSON. */
function demandOf(container: Container | undefined): string {
  const { image = '', resources } = container ?? {};
  return digest([image, amounts(resources?.requests), amounts(resources?.limits)].join(' '));
}

function amounts(of: StringMap | undefined): string {
  return Object.entries(of ?? {})
    .map(([resource, amount]) => `${resource}=${amount}`)
    .sort(compareStrings)
    .join();
}
