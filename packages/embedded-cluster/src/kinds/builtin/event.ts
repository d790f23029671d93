import { type FieldError, invalid, required } from '@holdfast/base/field-errors';
import type { KubeObject } from '../../objects.ts';
import type { Strategy } from '../strategy.ts';
import { ensureObject, fillIn, isThere, objectAt, textAt } from './checks/read.ts';
import { labelKeyProblems } from './checks/syntax.ts';

const namespaceMismatch = 'does not match event.namespace';
const maxWord = 128;
const maxMessage = 1024;

function namespaceErrors(event: KubeObject, homes: readonly string[], strict: boolean): readonly FieldError[] {
  const own = event.metadata.namespace ?? '';
  const involved = textAt(objectAt(event, 'involvedObject'), 'namespace');
  const fits = involved === '' ? homes.includes(own) : !strict || involved === own;
  return fits ? [] : [invalid('involvedObject.namespace', involved, namespaceMismatch)];
}

function lengthErrors(event: KubeObject): readonly FieldError[] {
  const errors: FieldError[] = [];
  for (const key of ['reportingInstance', 'action', 'reason']) {
    const value = textAt(event, key);
    if (value === '') errors.push(required(key, ''));
    if (value.length > maxWord) errors.push(invalid(key, '', `can have at most ${maxWord} characters`));
  }
  if (textAt(event, 'message').length > maxMessage) {
    errors.push(invalid('message', '', `can have at most ${maxMessage} characters`));
  }
  return errors;
}

/** Events with a precise time are the newer kind, and have to be complete. */
function validate(event: KubeObject): readonly FieldError[] {
  if (!isThere(event['eventTime'])) return namespaceErrors(event, ['', 'default'], true);
  const reporter = textAt(event, 'reportingComponent');
  return [
    ...namespaceErrors(event, ['default', 'kube-system'], false),
    ...(reporter === '' ? [required('reportingComponent', '')] : []),
    ...labelKeyProblems(reporter).map((problem) => invalid('reportingComponent', reporter, problem)),
    ...lengthErrors(event),
  ];
}

const involvedFields = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'] as const;

function selectableFields(event: KubeObject): Record<string, string> {
  const involved = objectAt(event, 'involvedObject');
  const fields: Record<string, string> = {};
  for (const key of involvedFields) fields[`involvedObject.${key}`] = textAt(involved, key);
  const component = textAt(event, 'reportingComponent');
  fields['reason'] = textAt(event, 'reason');
  fields['reportingComponent'] = component;
  fields['source'] = textAt(objectAt(event, 'source'), 'component') || component;
  fields['type'] = textAt(event, 'type');
  return fields;
}

export const eventStrategy: Strategy = {
  /** These fields are always written, also when they are empty. */
  applyDefaults(event) {
    for (const key of ['reportingComponent', 'reportingInstance']) fillIn(event, key, '');
    for (const key of ['source', 'involvedObject']) ensureObject(event, key);
    for (const key of ['eventTime', 'firstTimestamp', 'lastTimestamp']) {
      if (event[key] === undefined) event[key] = null;
    }
  },
  validate,
  selectableFields,
  createOnUpdate: true,
};
