import { certificateSecret, commonLabels, operatorName } from '../../api/installation-names.ts';
import { serviceNames, urlNames } from '../../trust/material.ts';
import type { InstallValues } from '../values/values.ts';

const group = 'cert-manager.io';

/** As much of cert-manager's kinds as we write. */
export interface CertManagerObject {
  readonly apiVersion: string;
  readonly kind: 'Issuer' | 'Certificate';
  readonly metadata: { readonly name: string; readonly namespace: string; readonly labels: Record<string, string> };
  readonly spec: Readonly<Record<string, unknown>>;
}

/** The annotation by which cert-manager fills in `caBundle`, where it makes the certificates. */
export function caInjection({ namespace, certificates }: InstallValues): { annotations?: Record<string, string> } {
  if (certificates.source !== 'cert-manager') return {};
  return { annotations: { [`${group}/inject-ca-from`]: `${namespace}/${operatorName}` } };
}

export function certManagerObjects(values: InstallValues): readonly CertManagerObject[] {
  const { namespace, certificates, webhook } = values;
  if (certificates.source !== 'cert-manager') return [];
  const metadata = { name: operatorName, namespace, labels: { ...commonLabels } };
  const names = webhook.url === undefined ? serviceNames(operatorName, namespace) : urlNames(webhook.url);
  return [
    { apiVersion: `${group}/v1`, kind: 'Issuer', metadata, spec: { selfSigned: {} } },
    {
      apiVersion: `${group}/v1`,
      kind: 'Certificate',
      metadata,
      spec: {
        secretName: certificateSecret,
        dnsNames: names.dnsNames,
        ipAddresses: names.addresses,
        issuerRef: { name: operatorName, kind: 'Issuer' },
        privateKey: { algorithm: 'ECDSA', size: 256 },
        usages: ['digital signature', 'server auth'],
      },
    },
  ];
}
