import { describe, expect, it } from 'vitest';
import { annotation } from '../../../src/api/names.ts';
import { answeredPaths, emptyConfigurations, webhookConfigurations } from '../../../src/install/manifests/webhooks.ts';
import { defaultInstallValues } from '../../../src/install/values/values.ts';
import { type FoundConfiguration, withWebhooks } from '../../../src/operator/registration/registered.ts';

const segment = 'a'.repeat(64);
const configurationOf = (values = defaultInstallValues) => {
  const [validating] = webhookConfigurations(values, answeredPaths);
  if (validating === undefined) throw new Error('no configuration');
  return validating;
};
const wanted = configurationOf();
const [empty] = emptyConfigurations(defaultInstallValues) as readonly FoundConfiguration[];

function filled(found: FoundConfiguration | undefined, by = wanted, path: string | undefined = segment) {
  const after = found && withWebhooks(found, by, path);
  if (after === undefined) throw new Error('it was left as it is');
  return after;
}

function trusting(found: FoundConfiguration, caBundle: string): FoundConfiguration {
  const { webhooks = [] } = found;
  return { ...found, webhooks: webhooks.map((one) => ({ ...one, clientConfig: { ...one.clientConfig, caBundle } })) };
}

const paths = ({ webhooks = [] }: FoundConfiguration) =>
  new Set(webhooks.map(({ clientConfig }) => clientConfig.service?.path?.split('/')[1]));
const bundles = ({ webhooks = [] }: FoundConfiguration) =>
  new Set(webhooks.map(({ clientConfig }) => clientConfig.caBundle));

describe('the webhooks that the operator puts into a configuration', () => {
  it('are those of its version, at the secret path', () => {
    const after = filled(empty);
    expect(after.webhooks?.length).toBe(wanted.webhooks?.length);
    expect(paths(after)).toEqual(new Set([segment]));
    expect(after.metadata).toMatchObject({ name: 'holdfast', labels: { 'app.kubernetes.io/part-of': 'holdfast' } });
  });

  it('are put there once: what a person changes since stays', () => {
    const after = filled(empty);
    const ignoring = { ...after, webhooks: after.webhooks?.map((one) => ({ ...one, failurePolicy: 'Ignore' })) ?? [] };
    expect(withWebhooks(ignoring, wanted, segment)).toBeUndefined();
  });

  it('are put back where a tool emptied the configuration', () => {
    const { webhooks: _, ...emptied } = filled(empty);
    expect(filled(emptied).webhooks?.length).toBe(wanted.webhooks?.length);
  });

  it('are replaced when other ones are wanted, and stay trusted at the path that API servers know', () => {
    const before = trusting(filled(empty), 'Zm9v');
    const other = configurationOf({
      ...defaultInstallValues,
      webhook: { ...defaultInstallValues.webhook, timeoutSeconds: 7 },
    });
    const after = filled(before, other, 'b'.repeat(64));
    expect(after.webhooks).toMatchObject(before.webhooks?.map(() => ({})) ?? []);
    expect(after.webhooks?.some((one) => 'timeoutSeconds' in one && one.timeoutSeconds === 7)).toBe(true);
    expect(bundles(after)).toEqual(new Set(['Zm9v']));
    expect(paths(after)).toEqual(new Set([segment]));
    expect(after.metadata?.annotations?.[annotation.registered]).not.toBe(
      before.metadata?.annotations?.[annotation.registered],
    );
  });

  it('trust whom the values name, where an administrator makes the certificates', () => {
    const own = configurationOf({
      ...defaultInstallValues,
      webhook: { ...defaultInstallValues.webhook, caBundle: 'PEM' },
    });
    expect(bundles(filled(trusting(filled(empty), 'Zm9v'), own))).toEqual(
      new Set([Buffer.from('PEM').toString('base64')]),
    );
  });
});
