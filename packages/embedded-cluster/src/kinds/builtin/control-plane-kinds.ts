/** Kinds by which a control plane is told what to do: requests for certificates, migrations, and groups that it serves. */

import { type FieldError, forbidden, invalid, required } from '@holdfast/base/field-errors';
import { sameJson } from '@holdfast/base/json';
import type { JsonObject, KubeObject } from '../../objects.ts';
import type { Strategy } from '../strategy.ts';
import { requiredText } from './checks/field-checks.ts';
import { ensureObject, fillIn, listAt, objectAt, specOf, textAt } from './checks/read.ts';
import { emptyStatus } from './workloads/workload-checks.ts';

const pemRequest = /^-----BEGIN CERTIFICATE REQUEST-----\n[\s\S]+-----END CERTIFICATE REQUEST-----\s*$/;

function requestErrors(spec: JsonObject): readonly FieldError[] {
  const request = textAt(spec, 'request');
  const readable = pemRequest.test(Buffer.from(request, 'base64').toString('latin1'));
  return [
    ...(readable ? [] : [invalid('spec.request', request, 'PEM block type must be CERTIFICATE REQUEST')]),
    ...(listAt(spec, 'usages').length > 0 ? [] : [required('spec.usages', '')]),
    ...requiredText(spec, 'signerName', 'spec'),
  ];
}

/** There is no signer here: a request can be approved or denied, and a signer that the user runs finds it. */
export const certificateRequestStrategy: Strategy = {
  prepareForCreate: emptyStatus,
  prepareForUpdate(draft, old) {
    draft['spec'] = old['spec'];
  },
  validate: (request) => requestErrors(specOf(request)),
};

/** Everything is kept in one version of its kind, so that there is nothing to migrate: these are kept, and stay as they are. */
export const migrationStrategy: Strategy = {
  applyDefaults(migration) {
    const resource = objectAt(ensureObject(migration, 'spec'), 'resource');
    if (resource !== undefined) fillIn(resource, 'group', '');
  },
  prepareForCreate: emptyStatus,
  validate(migration) {
    const resource = textAt(objectAt(specOf(migration), 'resource'), 'resource');
    return resource === '' ? [required('spec.resource.resource', 'resource is required to be set')] : [];
  },
  validateUpdate(migration, old) {
    const [now, before] = [specOf(migration), specOf(old)];
    return sameJson(now, before) ? [] : [invalid('spec', { Resource: now['resource'] }, 'field is immutable')];
  },
};

function nameErrors({ metadata }: KubeObject, spec: JsonObject): readonly FieldError[] {
  const wanted = `${textAt(spec, 'version')}.${textAt(spec, 'group')}`;
  if (metadata.name === wanted) return [];
  return [invalid('metadata.name', metadata.name, `must be \`spec.version+"."+spec.group\`: "${wanted}"`)];
}

/** The groups of this server alone: it does not ask others on behalf of clients, and says so. */
export const apiServiceStrategy: Strategy = {
  prepareForCreate: emptyStatus,
  // The core group has none, so that the name of its service ends with a dot.
  nameProblem: () => undefined,
  validate(service) {
    const spec = specOf(service);
    const foreign = objectAt(spec, 'service') === undefined ? [] : ['served by others'];
    return [
      ...nameErrors(service, spec),
      ...foreign.map(() => forbidden('spec.service', 'this cluster serves no aggregated APIs')),
    ];
  },
};
