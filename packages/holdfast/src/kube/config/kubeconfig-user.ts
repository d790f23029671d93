import { isAbsolute, join } from 'node:path';
import { type Fields, isObject } from '@holdfast/base/json';
import { ConfigError, type ExecSettings, type Impersonation, type UserSettings } from './access.ts';
import { fieldsOf, flagOf, listOf, textOf, textsOf } from './fields.ts';
import { type Entry, fileOf, sourceOf } from './sources.ts';

/** What a kubeconfig says of a user. Throws a ConfigError. */
export function userSettings({ fields, directory }: Entry): UserSettings {
  if (fieldsOf(fields, 'auth-provider') !== undefined) {
    throw new ConfigError('auth-provider is not supported: use an exec plugin');
  }
  const token = textOf(fields, 'token');
  const inline = token === undefined || token === '' ? undefined : ({ kind: 'inline', text: token } as const);
  const username = textOf(fields, 'username');
  const exec = fieldsOf(fields, 'exec');
  return {
    certificate: sourceOf(fields, 'client-certificate', directory),
    key: sourceOf(fields, 'client-key', directory),
    token: fileOf(fields, 'tokenFile', directory) ?? inline,
    basic: username === undefined ? undefined : { username, password: textOf(fields, 'password') ?? '' },
    exec: exec === undefined ? undefined : execSettings(exec, directory),
    impersonate: impersonation(fields),
  };
}

function execSettings(fields: Fields, directory: string): ExecSettings {
  const apiVersion = textOf(fields, 'apiVersion');
  if (apiVersion !== 'client.authentication.k8s.io/v1' && apiVersion !== 'client.authentication.k8s.io/v1beta1') {
    throw new ConfigError(`exec plugins of ${apiVersion ?? 'no apiVersion'} are not supported: v1 and v1beta1 are`);
  }
  const command = textOf(fields, 'command') ?? '';
  if (command === '') throw new ConfigError('an exec plugin has a command');
  if (textOf(fields, 'interactiveMode') === 'Always') {
    throw new ConfigError(`exec plugin ${command} needs a terminal (interactiveMode: Always), which is not supported`);
  }
  return {
    apiVersion,
    // A path is relative to the kubeconfig; a mere name is looked up.
    command: command.includes('/') && !isAbsolute(command) ? join(directory, command) : command,
    args: textsOf(fields, 'args'),
    env: environment(fields),
    provideClusterInfo: flagOf(fields, 'provideClusterInfo'),
    installHint: textOf(fields, 'installHint'),
  };
}

function environment(fields: Fields): Readonly<Record<string, string>> {
  const pairs = listOf(fields, 'env').map((item) => {
    const name = isObject(item) ? textOf(item, 'name') : undefined;
    if (name === undefined || !isObject(item)) throw new ConfigError('each env of an exec plugin has a name');
    return [name, textOf(item, 'value') ?? ''] as const;
  });
  return Object.fromEntries(pairs);
}

function impersonation(fields: Fields): Impersonation | undefined {
  const user = textOf(fields, 'as') ?? '';
  const uid = textOf(fields, 'as-uid');
  const groups = textsOf(fields, 'as-groups');
  const extras = fieldsOf(fields, 'as-user-extra') ?? {};
  const extra = Object.fromEntries(Object.keys(extras).map((key) => [key, textsOf(extras, key)]));
  if (user !== '') return { user, uid, groups, extra };
  if (uid !== undefined || groups.length > 0 || Object.keys(extra).length > 0) {
    throw new ConfigError('impersonating a group, a uid or extra fields needs a user (as)');
  }
  return undefined;
}
