/** ConfigMaps and Secrets: named pieces of data, with a limit for all of them together. */

import { type FieldError, invalid, required } from '@holdfast/base/field-errors';
import type { JsonObject, KubeObject } from '../../objects.ts';
import type { Strategy } from '../strategy.ts';
import { problemsOf, tooLong, unchanged, unchangedWhenImmutable } from './checks/field-checks.ts';
import { fillInText, objectAt, pairsAt, textAt } from './checks/read.ts';
import { configKeyProblems } from './checks/syntax.ts';

const maxBytes = 1024 * 1024;

function keyErrors(object: KubeObject, part: string): readonly FieldError[] {
  return pairsAt(object, part).flatMap(([key]) => problemsOf(`${part}[${key}]`, key, configKeyProblems));
}

function plainBytes(object: KubeObject, part: string): number {
  return pairsAt(object, part).reduce((sum, [, value]) => sum + Buffer.byteLength(value), 0);
}

function decodedBytes(object: KubeObject, part: string): number {
  return pairsAt(object, part).reduce((sum, [, value]) => sum + Buffer.byteLength(value, 'base64'), 0);
}

function configMapErrors(map: KubeObject): readonly FieldError[] {
  const binary = objectAt(map, 'binaryData') ?? {};
  const twice = pairsAt(map, 'data').filter(([key]) => Object.hasOwn(binary, key));
  const errors = [
    ...keyErrors(map, 'data'),
    ...twice.map(([key]) => invalid(`data[${key}]`, key, 'duplicate of key present in binaryData')),
    ...keyErrors(map, 'binaryData'),
  ];
  // The API server writes a path without a name here.
  if (plainBytes(map, 'data') + decodedBytes(map, 'binaryData') > maxBytes) errors.push(tooLong('[]', maxBytes));
  return errors;
}

export const configMapStrategy: Strategy = {
  validate: configMapErrors,
  validateUpdate: (map, old) => unchangedWhenImmutable(map, old, ['data', 'binaryData']),
};

/** What a client may write as text is kept encoded, like the rest. */
function encodeStringData(secret: KubeObject): void {
  const texts = pairsAt(secret, 'stringData');
  if (texts.length > 0) {
    const data: JsonObject = { ...objectAt(secret, 'data') };
    for (const [key, value] of texts) data[key] = Buffer.from(value).toString('base64');
    secret['data'] = data;
  }
  delete secret['stringData'];
}

const requiredKeys: ReadonlyMap<string, readonly string[]> = new Map([
  ['kubernetes.io/dockercfg', ['.dockercfg']],
  ['kubernetes.io/dockerconfigjson', ['.dockerconfigjson']],
  ['kubernetes.io/ssh-auth', ['ssh-privatekey']],
  ['kubernetes.io/tls', ['tls.crt', 'tls.key']],
]);

const accountAnnotation = 'kubernetes.io/service-account.name';

function typeErrors(secret: KubeObject): readonly FieldError[] {
  const type = textAt(secret, 'type');
  const data = objectAt(secret, 'data') ?? {};
  if (type === 'kubernetes.io/service-account-token') {
    const account = secret.metadata.annotations?.[accountAnnotation];
    return account ? [] : [required(`metadata.annotations[${accountAnnotation}]`, '')];
  }
  if (type === 'kubernetes.io/basic-auth') {
    const either = Object.hasOwn(data, 'username') || Object.hasOwn(data, 'password');
    return either ? [] : [required('data[username]', ''), required('data[password]', '')];
  }
  const keys = requiredKeys.get(type) ?? [];
  return keys.filter((key) => !Object.hasOwn(data, key)).map((key) => required(`data[${key}]`, ''));
}

function secretErrors(secret: KubeObject): readonly FieldError[] {
  const errors = [...keyErrors(secret, 'data')];
  if (decodedBytes(secret, 'data') > maxBytes) errors.push(tooLong('data', maxBytes));
  return [...errors, ...typeErrors(secret)];
}

export const secretStrategy: Strategy = {
  applyDefaults(secret) {
    fillInText(secret, 'type', 'Opaque');
    if (secret['stringData'] !== undefined) encodeStringData(secret);
  },
  validate: secretErrors,
  validateUpdate: (secret, old) => [
    ...unchanged('type', secret['type'], old['type']),
    ...unchangedWhenImmutable(secret, old, ['data']),
  ],
  selectableFields: (secret) => ({ type: textAt(secret, 'type') }),
};
