import { relative } from 'node:path';
import type { Cluster, LoadReport, Recovered, View } from '@holdfast/embedded-cluster';
import type { KubeObject } from '@holdfast/embedded-cluster/objects';
import { label } from '../../api/names.ts';
import { packageFile } from '../package-file.ts';
import { demoFile } from './up-content.ts';
import { isUp, workloadsIn, workloadTable } from './up-workloads.ts';

export interface Started {
  readonly kubeconfig: string;
  readonly data: string | undefined;
  readonly operator: boolean;
  readonly recovered: Recovered | undefined;
  readonly loaded: LoadReport | undefined;
  /** The address of the page; undefined: it is not served. */
  readonly ui?: string | undefined;
}

/** What runs, and what to try. */
export function afterStart({ url, plane: { view } }: Cluster, started: Started): string {
  const workloads = workloadsIn(view);
  const counts = `${view.list('nodes').length} simulated nodes, ${view.list('pods').length} pods`;
  const lines = [`Kubernetes API on ${url}: ${counts}`, ...originOf(started)];
  lines.push(protection(view, started.operator));
  if (workloads.length > 0) lines.push('', workloadTable(workloads));
  if (!workloads.every(isUp)) lines.push('', 'Not everything is up yet; see kubectl get pods -A.');
  const commands = [`export KUBECONFIG=${quoted(started.kubeconfig)}`, ...commandsFor(view)];
  lines.push('', 'Try, in another terminal:', '', ...commands.map((command) => `  ${command}`));
  if (started.ui !== undefined) lines.push('', 'Or look at it in a browser:', '', `  ${started.ui}`);
  lines.push('', 'Ctrl-C stops the cluster.', '');
  return lines.join('\n');
}

function protection(view: View, operator: boolean): string {
  if (!operator) return 'Without the operator: only Kubernetes enforces budgets.';
  const guarded = view.list('namespaces').filter(({ metadata }) => metadata.labels?.[label.guard] === 'enabled');
  const names = guarded.map(({ metadata }) => metadata.name).sort();
  if (names.length === 0) return 'Holdfast guards every namespace that gets a budget it judges.';
  return `Holdfast guards the namespaces ${names.join(', ')}`;
}

function originOf({ data, recovered, loaded }: Started): readonly string[] {
  const lines: string[] = [];
  if (loaded) lines.push(`Loaded ${loaded.loaded} objects`);
  if (data === undefined || !recovered) return lines;
  const { objects, clean } = recovered;
  const before = objects === 0 ? '' : `; ${objects} objects were there already`;
  return [...lines, `Everything is kept in ${data}${before}${clean ? '' : '; the last run did not end cleanly'}`];
}

function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

/** Three that do something with what is there. */
function commandsFor(view: View): readonly string[] {
  const pod = view.list('pods').find(isControlled);
  if (!pod) {
    const demo = quoted(relative('', packageFile(demoFile)));
    return ['kubectl get nodes', `kubectl apply -f ${demo}`, 'kubectl get pods -A -o wide --watch'];
  }
  const { namespace, name } = pod.metadata;
  return [
    'kubectl get pods -A -o wide',
    `kubectl drain ${busiestNode(view)} --ignore-daemonsets --delete-emptydir-data`,
    `kubectl annotate pod -n ${namespace} ${name} sim.holdfast.dev/ready=false`,
  ];
}

function isControlled({ metadata }: KubeObject): boolean {
  return metadata.ownerReferences?.some(({ controller }) => controller === true) ?? false;
}

function busiestNode(view: View): string {
  const nodes = view.list('nodes').map(({ metadata }) => metadata.name);
  const pods = (node: string) => view.podsOnNode(node).length;
  return nodes.reduce((best, node) => (pods(node) > pods(best) ? node : best), nodes[0] ?? '');
}

/** What a person who loaded a snapshot must know of it. */
export function loadNotes({ notLoaded, notes }: LoadReport): readonly string[] {
  return [...notLoaded.map((text) => `not loaded: ${text}`), ...notes];
}
