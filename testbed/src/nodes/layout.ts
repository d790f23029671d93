import { join } from 'node:path';

/**
 * One node of a test bed. Its addresses exist only in network namespaces that the test bed made, and no link leads from there to the
 * machine's own network.
 */
export interface RealNode {
  readonly name: string;
  readonly zone: string;
  readonly address: string;
  readonly podRange: string;
  /** Where its files are. */
  readonly folder: string;
  /** Files that stand for its namespaces. */
  readonly network: string;
  readonly mounts: string;
}

export const controlPlaneAddress = '10.88.0.1';
export const nodeRange = '10.88.0.0/24';
export const podRange = '10.244.0.0/16';
const zones = ['zone-a', 'zone-b', 'zone-c'];
/** Addresses and memory of one machine. */
export const mostRealNodes = 9;

export function layOut(folder: string, count: number): RealNode[] {
  return Array.from({ length: count }, (_, index) => {
    const name = `node-${index + 1}`;
    return {
      name,
      zone: zones[index % zones.length] ?? '',
      address: `10.88.0.${index + 11}`,
      podRange: `10.244.${index + 1}.0/24`,
      folder: join(folder, name),
      network: join(namespaceFolder(folder), `${name}.network`),
      mounts: join(namespaceFolder(folder), `${name}.mounts`),
    };
  });
}

export function namespaceFolder(folder: string): string {
  return join(folder, 'namespaces');
}

/** In the namespaces of a node, from within those of the test bed. */
export function onNode(
  { network, mounts }: Pick<RealNode, 'network' | 'mounts'>,
  command: readonly string[],
): string[] {
  return ['nsenter', `--net=${network}`, `--mount=${mounts}`, '--', ...command];
}

/** In the namespaces of the test bed, from the rest of the machine. */
export function inBed(initPid: number, command: readonly string[]): string[] {
  return ['nsenter', `--target=${initPid}`, '--mount', '--net', '--pid', '--', ...command];
}
