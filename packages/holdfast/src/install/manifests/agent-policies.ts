import { agentLabels, agentsNamespace, agentUser } from '../../api/installation-names.ts';
import { annotation, condition } from '../../api/names.ts';
import type { InstallValues } from '../values/values.ts';
import {
  celText,
  isUser,
  type PolicyObject,
  type PolicyTerms,
  policyObjects,
  sameBut,
  writtenByServer,
} from './policy-objects.ts';

const nodeKey = celText('authentication.kubernetes.io/node-name');
const extra = 'request.userInfo.extra';
/** The node that the token was issued for: the API server puts it there, for tokens of pods. */
const nodeOfToken = `has(${extra}) && ${nodeKey} in ${extra} ? ${extra}[${nodeKey}][0] : ""`;

const aboutNode = celText(annotation.node);
const nodeIn = (side: string) =>
  `(has(${side}.metadata.annotations) && ${aboutNode} in ${side}.metadata.annotations ? ${side}.metadata.annotations[${aboutNode}] : "")`;

const others = (side: string) =>
  `(has(${side}.status.conditions) ? ${side}.status.conditions.filter(c, c.type != ${celText(condition.disruptable)}) : [])`;

const noNode =
  'the token of this agent does not name its node: API servers before 1.32 do so with the feature gate ServiceAccountTokenPodNodeInfo; install with agent.bindToNode: false where that is off';

function conditions({ namespace, agent }: InstallValues): PolicyTerms {
  const bound = [
    { expression: 'variables.node != ""', message: noNode },
    {
      expression: 'has(oldObject.spec.nodeName) && oldObject.spec.nodeName == variables.node',
      message: 'an agent may write the conditions of pods on its own node only',
    },
  ];
  return {
    name: 'holdfast-agent-pods',
    labels: agentLabels,
    rules: [{ group: '', version: 'v1', operations: ['UPDATE'], resources: ['pods', 'pods/*'] }],
    about: isUser(agentUser(namespace)),
    ...(agent.bindToNode ? { variables: { node: nodeOfToken } } : {}),
    demands: [
      ...(agent.bindToNode ? bound : []),
      {
        expression: `(${sameBut('metadata', writtenByServer)}) && (${sameBut('spec', [])}) && (${sameBut('status', ['conditions'])}) && ${others('object')} == ${others('oldObject')}`,
        message: `an agent may change nothing of a pod but its condition ${condition.disruptable}`,
      },
    ],
  };
}

/**
 * The lease of a node has its name, so that no other agent can write it or be there first. Agents of versions before this one keep
 * theirs in the operator's namespace, by a name that CEL cannot derive; while they are replaced, they may go on doing so.
 */
function leases({ namespace, agent }: InstallValues): PolicyTerms {
  const own = `request.namespace == ${celText(agentsNamespace)} && object.metadata.name == ${nodeIn('object')}`;
  const former = `request.namespace == ${celText(namespace)} && object.metadata.name.startsWith("holdfast-probe-")`;
  const bound = [
    { expression: 'variables.node != ""', message: noNode },
    {
      expression: `${nodeIn('object')} == variables.node && (oldObject == null || ${nodeIn('oldObject')} == variables.node)`,
      message: 'an agent may write the lease of its own node only',
    },
  ];
  return {
    name: 'holdfast-agent-leases',
    labels: agentLabels,
    rules: [
      {
        group: 'coordination.k8s.io',
        version: 'v1',
        operations: ['CREATE', 'UPDATE'],
        resources: ['leases', 'leases/*'],
      },
    ],
    about: isUser(agentUser(namespace)),
    ...(agent.bindToNode ? { variables: { node: nodeOfToken } } : {}),
    demands: [
      {
        expression: `(${own}) || (${former})`,
        message: `an agent may write leases that are called like their node, in namespace ${agentsNamespace}`,
      },
      ...(agent.bindToNode ? bound : []),
    ],
  };
}

/** What RBAC cannot say about agents: it knows neither nodes nor single fields. */
export function agentPolicies(values: InstallValues): readonly PolicyObject[] {
  return [conditions(values), leases(values)].flatMap(policyObjects);
}
