import type { Client } from '../../client.ts';
import type { View } from '../../view.ts';
import { headlessService, type ServiceInput } from './statefulsets.ts';

/** A service of that name that is there already is left as it is. */
export async function ensureService(view: View, client: Client, input: ServiceInput): Promise<void> {
  if (view.get('services', input.lws.metadata.namespace ?? '', input.name) !== undefined) return;
  await client.create('services', headlessService(input));
}
