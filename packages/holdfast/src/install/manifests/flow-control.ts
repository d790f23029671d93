import type { FlowSchema, PriorityLevelConfiguration } from 'kubernetes-types/flowcontrol/v1.js';
import { commonLabels, operatorName } from '../../api/installation-names.ts';
import type { InstallValues } from '../values/values.ts';

const apiVersion = 'flowcontrol.apiserver.k8s.io/v1';

/**
 * Evictions hold their seats at the API server while they wait for us. If our own calls queued behind them, each would wait for
 * the other; so ours have seats that no other client can take.
 */
export function priorityLevelOf(): PriorityLevelConfiguration {
  return {
    apiVersion,
    kind: 'PriorityLevelConfiguration',
    metadata: { name: operatorName, labels: { ...commonLabels } },
    spec: {
      type: 'Limited',
      limited: {
        nominalConcurrencyShares: 20,
        lendablePercent: 0,
        limitResponse: { type: 'Queue', queuing: { queues: 16, handSize: 4, queueLengthLimit: 50 } },
      },
    },
  };
}

export function flowSchemaOf({ namespace }: InstallValues): FlowSchema {
  return {
    apiVersion,
    kind: 'FlowSchema',
    metadata: { name: operatorName, labels: { ...commonLabels } },
    spec: {
      priorityLevelConfiguration: { name: operatorName },
      // Before those that come with Kubernetes for service accounts in general (9000).
      matchingPrecedence: 500,
      distinguisherMethod: { type: 'ByNamespace' },
      rules: [
        {
          subjects: [{ kind: 'ServiceAccount', serviceAccount: { name: operatorName, namespace } }],
          resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
          nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
        },
      ],
    },
  };
}
