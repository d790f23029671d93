import type { Namespace } from '@holdfast/base/meta';
import { label } from '../../api/names.ts';
import type { Guard } from '../../core/status/condition.ts';
import { guardedValue, guardLabel, isNeverGuarded, labelledMode, observedValue } from './guard-mode.ts';
import { outOfReach, type PodWebhooks } from './registration.ts';

const on: Guard = { kind: 'on' };

/**
 * What becomes of requests about the pods of a namespace, as far as that can be seen from outside.
 * @param own the operator's own namespace
 */
export function guardFor(namespace: Namespace, own: string, webhooks: PodWebhooks): Guard {
  const { name, labels = {} } = namespace.metadata;
  if (isNeverGuarded(name, own)) {
    return off(
      `Holdfast does not protect pods in kube-system and ${own}, so that they can start without it: use another namespace`,
    );
  }
  const mode = labelledMode(namespace);
  if (mode === 'off') return off(labelProblem(guardLabel(namespace)));
  if (mode === 'observe' || webhooks.installation === 'observe') {
    const unreached = outOfReach(webhooks.observing, labels);
    return unreached === undefined ? observed(mode) : off(unreached);
  }
  const unreached = outOfReach(webhooks.enforcing, labels);
  return unreached === undefined ? on : off(unreached);
}

function off(message: string): Guard {
  return { kind: 'off', message };
}

function observed(label: 'observe' | 'enforce'): Guard {
  return { kind: 'observed', message: label === 'observe' ? observedByLabel : observedByInstallation };
}

const observedByLabel = `the namespace's label ${label.guard}=${observedValue} lets every request pass: set ${label.guard}=${guardedValue} to enforce budgets`;

export const observedByInstallation =
  'Holdfast is installed with mode: observe, which lets every request pass: install it with mode: enforce to enforce budgets';

function labelProblem(value: string | undefined): string {
  if (value === undefined) {
    return `the namespace has no label ${label.guard} yet: the leader of the operator sets it; if this stays, read its log`;
  }
  if (value === 'disabled') {
    return `the namespace's label ${label.guard}=disabled turns protection off: remove the label to turn it on`;
  }
  return `the namespace's label ${label.guard} is ${JSON.stringify(value)}, which is not a known value: remove it, or set ${guardedValue}, ${observedValue} or disabled`;
}
