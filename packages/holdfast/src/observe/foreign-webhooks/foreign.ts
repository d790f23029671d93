import { matches, type Selector } from '@holdfast/base/labels/label-selector';
import type { StringMap } from '@holdfast/base/meta';
import { isCovered, podEviction } from './rule-match.ts';
import type { ConfigurationView } from './webhook-view.ts';

/** A webhook of another program that judges evictions. */
export interface ForeignWebhook {
  /** As people find it. */
  readonly title: string;
  /** Undefined: any. */
  readonly namespaces: Selector | undefined;
}

/**
 * Its failure policy does not matter, since it may refuse all the same; nor do the objects and conditions it is limited to, which
 * could only be known for each eviction separately.
 */
export function evictionWebhooks(kind: string, { metadata, webhooks }: ConfigurationView): readonly ForeignWebhook[] {
  return webhooks
    .filter(({ rules }) => isCovered(rules, podEviction))
    .map(({ name, namespaces }) => ({ title: `${name} of ${kind} ${metadata.name}`, namespaces }));
}

/** Whether it is asked about a namespace with these labels. When they are not known, it may be. */
export function mayReach({ namespaces }: ForeignWebhook, labels: StringMap | undefined): boolean {
  return namespaces === undefined || labels === undefined || matches(namespaces, labels);
}
