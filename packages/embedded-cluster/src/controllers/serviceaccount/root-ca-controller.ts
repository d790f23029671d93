import { sameJson } from '@holdfast/base/json';
import type { Controller, ControllerContext } from '../controller.ts';
import { keepInEveryNamespace } from './namespaced-object.ts';

export interface RootCaOptions {
  /** PEM. */
  readonly caCertificate: string;
}

const name = 'kube-root-ca.crt';

/** The certificate that pods trust the API server by, in every namespace. */
export function startRootCaController(context: ControllerContext, { caCertificate }: RootCaOptions): Controller {
  const data = { 'ca.crt': caCertificate };
  return keepInEveryNamespace(context, {
    controller: 'root-ca-cert-publisher',
    resource: 'configmaps',
    name,
    wanted: (namespace) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data }),
    repaired: (current) => (sameJson(current['data'], data) ? undefined : { ...current, data }),
  });
}
