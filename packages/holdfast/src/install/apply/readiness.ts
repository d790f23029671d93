import type { DaemonSet, Deployment } from 'kubernetes-types/apps/v1.js';
import { agree, counted } from '../../api/wording.ts';
import type { TrustingConfiguration } from '../../trust/webhook-trust.ts';

/** Whether what is waited for is so, and if not, what is missing, in words. */
export type InstallReadiness =
  | { readonly kind: 'ready' }
  | { readonly kind: 'waiting'; readonly text: string; readonly because?: string | undefined }
  /** It will not become ready by waiting. */
  | { readonly kind: 'never'; readonly text: string };

interface DefinitionState {
  readonly status?: {
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly message?: string;
    }[];
  };
}

export function definitionReadiness(name: string, definition: DefinitionState | undefined): InstallReadiness {
  const conditions = definition?.status?.conditions ?? [];
  const refused = conditions.find(({ type, status }) => type === 'NamesAccepted' && status === 'False');
  if (refused !== undefined) return { kind: 'never', text: `${name}: ${refused.message ?? 'its names are taken'}` };
  const established = conditions.some(({ type, status }) => type === 'Established' && status === 'True');
  return established ? { kind: 'ready' } : { kind: 'waiting', text: `${name} is not served yet` };
}

/** Every replica is of the newest template, and answers. */
export function deploymentReadiness(deployment: Deployment | undefined): InstallReadiness {
  if (deployment === undefined) {
    return { kind: 'never', text: "the operator's Deployment was deleted during the installation" };
  }
  const text = missingReplicas(deployment);
  return text === undefined ? { kind: 'ready' } : { kind: 'waiting', text };
}

function missingReplicas({ metadata, spec, status }: Deployment): string | undefined {
  const wanted = spec?.replicas ?? 1;
  const { replicas = 0, updatedReplicas = 0, availableReplicas = 0, observedGeneration = 0 } = status ?? {};
  if (observedGeneration < (metadata?.generation ?? 0)) return "no controller has seen the operator's Deployment yet";
  if (updatedReplicas < wanted) return `${updatedReplicas} of ${wanted} new replicas of the operator are there`;
  const old = replicas - updatedReplicas;
  if (old > 0) return `${counted(old, 'old replica')} of the operator still ${agree(old, 'runs', 'run')}`;
  return availableReplicas < wanted
    ? `${availableReplicas} of ${wanted} replicas of the operator are available`
    : undefined;
}

/** On every node that should have one runs an agent of the newest template. */
export function agentsReadiness(agents: DaemonSet | undefined): InstallReadiness {
  if (agents === undefined) {
    return { kind: 'never', text: "the agents' DaemonSet was deleted during the installation" };
  }
  const {
    desiredNumberScheduled: nodes,
    updatedNumberScheduled,
    numberAvailable,
    observedGeneration,
  } = {
    ...{ desiredNumberScheduled: 0, updatedNumberScheduled: 0, numberAvailable: 0, observedGeneration: 0 },
    ...agents.status,
  };
  const waiting = (text: string): InstallReadiness => ({ kind: 'waiting', text });
  if (observedGeneration < (agents.metadata?.generation ?? 0)) {
    return waiting("no controller has seen the agents' DaemonSet yet");
  }
  if (updatedNumberScheduled < nodes) return waiting(`${updatedNumberScheduled} of ${nodes} nodes have a new agent`);
  if (numberAvailable < nodes) return waiting(`on ${numberAvailable} of ${nodes} nodes an agent is available`);
  return { kind: 'ready' };
}

export function trustReadiness(name: string, configuration: TrustingConfiguration | undefined): InstallReadiness {
  if (configuration === undefined) return { kind: 'never', text: `${name} was deleted during the installation` };
  const { webhooks = [] } = configuration;
  const without = webhooks.filter(({ clientConfig }) => (clientConfig.caBundle ?? '') === '').length;
  if (without === 0) return { kind: 'ready' };
  return { kind: 'waiting', text: `${without} of ${webhooks.length} webhooks of ${name} have no CA bundle yet` };
}

/** All must be ready; what can never be comes first, because waiting is of no use then. */
export function allReady(parts: readonly InstallReadiness[]): InstallReadiness {
  const order = (kind: InstallReadiness['kind']) => parts.find((part) => part.kind === kind);
  return order('never') ?? order('waiting') ?? { kind: 'ready' };
}
