import type { KindResource } from '../../kube/discovery/discovery.ts';
import { type Outcome, succeeded } from '../../kube/outcome/failure.ts';
import type { ClusterApi } from '../cluster-api.ts';

/** What the user is about to do. */
export interface Intent {
  readonly resource: KindResource;
  readonly verbs: readonly string[];
  readonly namespace: string | undefined;
  /** Undefined: all of them. */
  readonly name: string | undefined;
}

const reviews = {
  group: 'authorization.k8s.io',
  version: 'v1',
  plural: 'selfsubjectaccessreviews',
  namespaced: false,
} as const;

/** Some fifty questions: one after the other is slow where the cluster is far away. */
const atOnce = 4;

interface Question {
  readonly intent: Intent;
  readonly verb: string;
}

interface Review {
  readonly status?: { readonly allowed?: boolean };
}

/**
 * What of it the user may not do, one line for each resource, in the order of the intents. Asked before anything is done, so that
 * nothing stops half-way and the user hears all of it at once.
 */
export async function missingRights(api: ClusterApi, intents: readonly Intent[]): Promise<Outcome<readonly string[]>> {
  const asked = intents.flatMap((intent) => intent.verbs.map((verb) => ({ intent, verb })));
  const missing = new Map<string, Set<string>>();
  for (let at = 0; at < asked.length; at += atOnce) {
    const part = asked.slice(at, at + atOnce);
    const answers = await Promise.all(part.map(async (one) => ({ ...one, answer: await mayI(api, one) })));
    for (const { intent, verb, answer } of answers) {
      if (!answer.ok) return answer;
      if (answer.value) continue;
      const what = objectText(intent);
      missing.set(what, (missing.get(what) ?? new Set()).add(verb));
    }
  }
  return succeeded([...missing].map(([what, verbs]) => `${[...verbs].join(', ')} ${what}`));
}

async function mayI(api: ClusterApi, { intent, verb }: Question): Promise<Outcome<boolean>> {
  const { group, version, plural } = intent.resource;
  const resourceAttributes = {
    verb,
    group,
    version,
    resource: plural,
    ...(intent.namespace === undefined ? {} : { namespace: intent.namespace }),
    ...(intent.name === undefined ? {} : { name: intent.name }),
  };
  const answer = await api.create<Review>(reviews, { spec: { resourceAttributes } });
  return answer.ok ? succeeded(answer.value.status?.allowed === true) : answer;
}

function objectText({ resource: { group, plural }, namespace }: Intent): string {
  const where = namespace === undefined ? '' : ` in namespace ${namespace}`;
  return `${plural}${group === '' ? '' : `.${group}`}${where}`;
}
