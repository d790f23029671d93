import type { Namespace } from 'kubernetes-types/core/v1.js';
import { forbidden, notFound } from '../../errors.ts';
import type { KubeObject } from '../../objects.ts';
import { refuse } from '../refusal.ts';
import type { Plugin } from './plugin.ts';

const immortal: ReadonlySet<string> = new Set(['default', 'kube-system', 'kube-public']);
const namespaces = { group: '', resource: 'namespaces' };

/** Nothing is created in a namespace that does not exist or is on its way out, and some namespaces stay. */
export const namespaceLifecycle: Plugin = {
  admit(request, _draft, { view }) {
    const { operation, type, kind, namespace, name } = request;
    if (kind.group === '' && kind.kind === 'Namespace') {
      const protectedOne = operation === 'DELETE' && immortal.has(name);
      if (protectedOne) throw forbidden(namespaces, name, 'this namespace may not be deleted');
      return;
    }
    // An answer about a namespace would tell too much to a user who only asks what they may do.
    const asking = type.key === 'authorization.k8s.io/localsubjectaccessreviews';
    if (operation !== 'CREATE' || namespace === '' || asking) return;
    const found = view.get<KubeObject & Namespace>('namespaces', '', namespace);
    if (!found) throw notFound(namespaces, namespace);
    if (found.status?.phase !== 'Terminating') return;
    throw refuse(request, `unable to create new content in namespace ${namespace} because it is being terminated`, [
      {
        reason: 'NamespaceTerminating',
        message: `namespace ${namespace} is being terminated`,
        field: 'metadata.namespace',
      },
    ]);
  },
};
