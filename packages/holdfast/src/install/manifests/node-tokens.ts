import type { ClusterApi } from '../cluster-api.ts';
import type { Reporter } from '../outcome.ts';
import type { InstallValues } from '../values/values.ts';

/** Since then the tokens of pods name their node, whatever is switched on. */
const alwaysSince = 32;

const lost =
  'the token of one node can write the lease of any node and the Disruptable condition of any pod, so a program that has it can lift or feign the veto of disruption probes in the whole cluster';

/** Says what is lost, or may be missing, where API servers do not tell agents of different nodes apart. */
export async function reportNodeTokens(api: ClusterApi, { agent }: InstallValues, report: Reporter): Promise<void> {
  if (!agent.enabled) return;
  if (!agent.bindToNode) {
    report({ kind: 'note', text: `agents are not bound to their nodes (agent.bindToNode: false): ${lost}` });
    return;
  }
  const version = await api.version();
  if (!version.ok || minorOf(version.value) >= alwaysSince) return;
  report({
    kind: 'note',
    text: `agents may write for their own node only, by the node that their tokens name. Before Kubernetes 1.${alwaysSince} that takes the feature gate ServiceAccountTokenPodNodeInfo (beta, on by default). Where it is off, agents are refused and pods with a disruption probe are not evicted: install with agent.bindToNode: false, and know that then ${lost}`,
  });
}

/** Some say `30+`. What cannot be read is taken for new. */
function minorOf({ minor }: { readonly minor?: string }): number {
  const number = Number.parseInt(minor ?? '', 10);
  return Number.isNaN(number) ? alwaysSince : number;
}
