import { isMap } from '../../packages/embedded-cluster/src/patch/json-tree.ts';
import type { Collection } from './collection.ts';
import { type Kind, kinds } from './kinds.ts';
import type { Endpoint } from './messages.ts';

/** As the API server reads a configuration: address and path from its URL, and whom to trust. */
export function registeredWebhook(collections: ReadonlyMap<Kind, Collection>): Endpoint {
  const configuration = collections.get(kinds.validating)?.get(undefined, 'holdfast');
  const [first] = Array.isArray(configuration?.['webhooks']) ? configuration['webhooks'] : [];
  const client = isMap(first) && isMap(first['clientConfig']) ? first['clientConfig'] : {};
  const ca = Buffer.from(String(client['caBundle'] ?? ''), 'base64').toString();
  const { port, pathname: path } = new URL(String(client['url']));
  return { port: Number(port), ca, path };
}
