import { notFound } from '../../errors.ts';
import { type Component, componentStatus } from '../../health.ts';
import type { Registry, Target } from '../../registry/registry.ts';
import { matcherFor } from '../../registry/selectors.ts';
import { StoredObject } from '../../store/stored-object.ts';
import { encodeList, encodeObject } from '../encode.ts';
import type { Answer, Exchange } from '../exchange.ts';
import { encodingOf, listQuery } from './read-handlers.ts';

const deprecated = 'v1 ComponentStatus is deprecated in v1.19+';

/** `componentstatuses`: not kept anywhere, but asked of the parts of the control plane each time. */
export async function readComponents(
  registry: Registry,
  components: readonly Component[],
  exchange: Exchange,
  target: Target,
): Promise<Answer> {
  const encoding = encodingOf(registry, exchange, target.type);
  exchange.warnings.push(deprecated);
  if (exchange.info.verb === 'get') {
    const component = components.find(({ name }) => name === target.name);
    if (!component) throw notFound({ group: '', resource: 'componentstatus' }, target.name);
    return { code: 200, body: encodeObject(encoding, await componentStatus(component)) };
  }
  const { labelSelector, fieldSelector } = listQuery(exchange, target);
  const matches = matcherFor(target.type, labelSelector, fieldSelector);
  const all = await Promise.all(components.map(componentStatus));
  const items = all
    .filter((object) => matches?.(object) !== false)
    .map((object) => new StoredObject(target.type.key, object.metadata.name, 0, object));
  return encodeList(encoding, { items, revision: registry.store.revision, continueToken: '', remaining: undefined });
}
