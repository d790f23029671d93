import { commonLabels, operatorUser } from '../../api/installation-names.ts';
import { ledgerGroup } from '../../api/ledger.ts';
import { annotation, label } from '../../api/names.ts';
import { repairsRollouts } from '../values/switched-on.ts';
import type { InstallValues } from '../values/values.ts';
import {
  celText,
  isUser,
  type PolicyObject,
  type PolicyTerms,
  policyObjects,
  sameBut,
  sameMapBut,
  writtenByServer,
} from './policy-objects.ts';

const labels = commonLabels;
const guard = celText(label.guard);

/** CEL: the value of a namespace's guard label; empty: it has none. */
function guardOf(namespace: string): string {
  return `(has(${namespace}.metadata.labels) && ${guard} in ${namespace}.metadata.labels ? ${namespace}.metadata.labels[${guard}] : "")`;
}

/** The right to patch namespaces would otherwise lift Pod Security from any of them. */
function namespaces(user: string): PolicyTerms {
  return {
    name: 'holdfast-namespaces',
    labels,
    rules: [{ group: '', version: 'v1', operations: ['UPDATE'], resources: ['namespaces', 'namespaces/*'] }],
    about: isUser(user),
    demands: [
      {
        expression: `(${sameBut('metadata', [...writtenByServer, 'labels'])}) && (${sameBut('spec', [])}) && ${sameMapBut('metadata.labels', label.guard)}`,
        message: `Holdfast may change nothing of a namespace but its label ${label.guard}`,
      },
      {
        // A person's `disabled` or `observe` is never overwritten, and never written by us.
        expression: `${guardOf('oldObject')} in ["", "enabled"] && ${guardOf('object')} in ["", "enabled"]`,
        message: `Holdfast may only set ${label.guard}=enabled where there is no such label, and take that away again`,
      },
    ],
  };
}

function podDeletion(user: string): PolicyTerms {
  return {
    name: 'holdfast-pods',
    labels,
    rules: [{ group: '', version: 'v1', operations: ['DELETE'], resources: ['pods'] }],
    about: isUser(user),
    demands: [
      {
        expression: `request.namespace != "kube-system" && !(${guardOf('namespaceObject')} in ["disabled", "observe"])`,
        message: `Holdfast may delete no pod in kube-system, nor in a namespace with ${label.guard}=disabled or observe`,
      },
    ],
  };
}

/** The API server leaves the spec alone in a write of the status; the rest is left alone by this. */
function rolloutState(user: string): PolicyTerms {
  return {
    name: 'holdfast-statefulsets',
    labels,
    rules: [{ group: 'apps', version: 'v1', operations: ['UPDATE'], resources: ['statefulsets', 'statefulsets/*'] }],
    about: isUser(user),
    demands: [
      {
        expression: `(${sameBut('metadata', [...writtenByServer, 'annotations'])}) && (${sameBut('spec', [])}) && (${sameBut('status', [])}) && ${sameMapBut('metadata.annotations', annotation.rolloutState)}`,
        message: `Holdfast may change nothing of a StatefulSet but its annotation ${annotation.rolloutState}`,
      },
    ],
  };
}

/**
 * Who can write a ledger can block every eviction of a namespace, or free what is reserved. A namespace that is being deleted empties
 * itself, and one that a person took out of protection has no use for its ledger: that is the way to delete one in an emergency.
 */
function ledgers(user: string): PolicyTerms {
  const isGoing = 'namespaceObject.metadata.deletionTimestamp';
  return {
    name: 'holdfast-ledgers',
    labels,
    rules: [
      {
        group: ledgerGroup,
        version: '*',
        operations: ['CREATE', 'UPDATE', 'DELETE'],
        resources: ['disruptionledgers', 'disruptionledgers/*'],
      },
    ],
    about: `!(${isUser(user)})`,
    demands: [
      {
        expression: `request.operation == "DELETE" && (has(${isGoing}) || ${guardOf('namespaceObject')} == "disabled")`,
        message: `only Holdfast writes ledgers; to delete one, an administrator first labels its namespace ${label.guard}=disabled, which ends all protection there`,
      },
    ],
  };
}

/** What the operator's account, and others in its place, may not do although RBAC has no words for it. */
export function operatorPolicies(values: InstallValues): readonly PolicyObject[] {
  const user = operatorUser(values.namespace);
  const terms = [
    namespaces(user),
    podDeletion(user),
    ...(repairsRollouts(values) ? [rolloutState(user)] : []),
    ledgers(user),
  ];
  return terms.flatMap(policyObjects);
}
