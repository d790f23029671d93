import type { KubeObject } from '../../objects.ts';
import type { Strategy } from '../strategy.ts';
import { problemsOf } from './checks/field-checks.ts';
import { dnsLabelName } from './checks/object-names.ts';
import { ensureObject, fillInText, specOf, statusOf, textAt, textsAt } from './checks/read.ts';
import { labelKeyProblems } from './checks/syntax.ts';

const nameLabel = 'kubernetes.io/metadata.name';
/** Keeps a namespace until its contents are gone; only the finalize subresource takes it away. */
const finalizer = 'kubernetes';

function applyDefaults(namespace: KubeObject): void {
  const { name, labels } = namespace.metadata;
  if (name && labels?.[nameLabel] !== name) namespace.metadata.labels = { ...labels, [nameLabel]: name };
  const status = ensureObject(namespace, 'status');
  if (status !== undefined) fillInText(status, 'phase', 'Active');
  ensureObject(namespace, 'spec');
}

export const namespaceStrategy: Strategy = {
  nameProblem: dnsLabelName,
  applyDefaults,
  prepareForCreate(draft) {
    draft['status'] = { phase: 'Active' };
    const spec = ensureObject(draft, 'spec');
    const finalizers = textsAt(spec, 'finalizers');
    if (spec !== undefined && !finalizers.includes(finalizer)) spec['finalizers'] = [...finalizers, finalizer];
  },
  prepareForUpdate(draft, old) {
    const spec = ensureObject(draft, 'spec');
    if (spec !== undefined) spec['finalizers'] = specOf(old)['finalizers'];
    draft['status'] = old['status'];
  },
  prepareForSubresource(subresource, draft, old) {
    if (subresource === 'finalize') draft['status'] = old['status'];
  },
  beginDeletion(draft) {
    const status = ensureObject(draft, 'status');
    if (status !== undefined) status['phase'] = 'Terminating';
  },
  isHeld: (namespace) => textsAt(specOf(namespace), 'finalizers').length > 0,
  validate: (namespace) =>
    textsAt(specOf(namespace), 'finalizers').flatMap((name) => problemsOf('spec.finalizers', name, labelKeyProblems)),
  selectableFields: (namespace) => ({
    name: namespace.metadata.name,
    'status.phase': textAt(statusOf(namespace), 'phase'),
  }),
};
