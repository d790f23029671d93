import type { Controller, ControllerContext } from '../controller.ts';
import { keepInEveryNamespace } from './namespaced-object.ts';

const name = 'default';

/** The service account of pods that name none, in every namespace. */
export function startServiceAccountController(context: ControllerContext): Controller {
  return keepInEveryNamespace(context, {
    controller: 'service-account-controller',
    resource: 'serviceaccounts',
    name,
    wanted: (namespace) => ({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } }),
  });
}
