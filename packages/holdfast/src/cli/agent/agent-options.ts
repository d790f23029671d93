import { InvalidArgumentError } from 'commander';
import type { AgentSettings, ProbePermits } from '../../agent/index.ts';

/** What the command line says about which nodes to serve. */
export interface NodeOptions {
  readonly node?: readonly string[];
  readonly allNodes?: true;
}

/** In a DaemonSet the pod knows its node's name. */
export function nodesOf({ node, allNodes }: NodeOptions, nodeName: string | undefined): AgentSettings['nodes'] {
  if (allNodes === true) {
    if (node !== undefined) throw new Error('--all-nodes and --node exclude each other');
    return 'all';
  }
  if (node !== undefined) return [...new Set(node)];
  if (nodeName === undefined || nodeName === '') {
    throw new Error('no node is named: use --node NAME or --all-nodes, or set NODE_NAME');
  }
  return [nodeName];
}

export function nodeName(text: string, before: readonly string[] | undefined): readonly string[] {
  // What is no name cannot be selected by, either.
  if (!/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(text) || text.length > 253) {
    throw new InvalidArgumentError('must be the name of a node.');
  }
  return [...(before ?? []), text];
}

/** An option that may be given several times. */
export function repeated(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

/** `*` among the names stands for every namespace. */
export function execNamespacesOf(names: readonly string[]): ProbePermits['execNamespaces'] {
  return names.includes('*') ? 'all' : names;
}

export function wholeNumber(minimum: number, maximum: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^[0-9]+$/.test(text) || value < minimum || value > maximum) {
      throw new InvalidArgumentError(`must be a whole number from ${minimum} to ${maximum}.`);
    }
    return value;
  };
}
