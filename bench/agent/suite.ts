import { Parts } from '../cluster/parts.ts';
import { leases } from './leases.ts';
import { probing } from './probing.ts';
import { Product } from './product.ts';
import { transitions } from './transitions.ts';

/** The agent and the operator as processes of their own: what probes and leases cost, and how soon a no counts. */
export async function agentSuite(): Promise<string> {
  const parts = new Parts(new URL('.', import.meta.url), ['api', 'apps', 'bare']);
  const product = new Product();
  try {
    await parts.bundle();
    await product.bundle();
    const apps = parts.start('apps');
    const sections = [
      ['Probing', await probing(product, parts, apps)],
      ['From a failed probe to a refused eviction', await transitions(product, parts, apps)],
      ['Leases of many nodes', await leases(product, parts)],
    ] as const;
    return `${sections.map(([title, text]) => `## ${title}\n\n${text}`).join('\n\n')}\n`;
  } finally {
    await product.close();
    parts.close();
  }
}
