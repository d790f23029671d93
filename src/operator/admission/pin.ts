import { type Fields, isObject, isUnset } from '../../api/json.ts';
import type { World } from '../../core/world/world.ts';
import type { Deadline } from './deadline.ts';
import type { WebhookHandler } from './handler.ts';
import { evictionTerms } from './pod-request.ts';
import type { ReviewRequest } from './review.ts';
import type { AdmissionAnswer, JsonPatchOperation } from './review-answer.ts';
import { type PodReader, readPod } from './verify.ts';

export interface PinDeps {
  readonly world: Pick<World, 'pod'>;
  readonly pods: PodReader;
}

const pass: AdmissionAnswer = { allowed: true };

/**
 * Binds an eviction to the pod that has its name now, by a uid in its preconditions, where the client sent none (P9). The validating
 * webhook then judges that uid, and the API server answers 409 when the pod was replaced meanwhile. It refuses nothing: what it does
 * not bind, the validating webhook does not let pass by a name alone.
 */
export function pinHandler(deps: PinDeps): WebhookHandler {
  return {
    async answer(review, { deadline }) {
      const eviction = unpinnedEviction(review);
      if (eviction === undefined) return pass;
      const uid = await uidOf(deps, review, deadline);
      return uid === undefined ? pass : { allowed: true, patch: [patchFor(eviction, uid)] };
    },
    inDoubt: () => pass,
  };
}

function unpinnedEviction({ group, resource, subResource, operation, object }: ReviewRequest): Fields | undefined {
  if (group !== '' || resource !== 'pods' || subResource !== 'eviction' || operation !== 'CREATE') return undefined;
  const terms = evictionTerms(object);
  return isObject(object) && terms.ok && terms.value.uid === undefined ? object : undefined;
}

/**
 * As the view has it, because the verdict will be about that pod. A pod that is not in the view is read; so is one that is on its way out
 * there: its successor may have the name by now, and an eviction bound to the predecessor would be a 409, after which kubectl gives up.
 */
async function uidOf(
  { world, pods }: PinDeps,
  { namespace, name, object }: ReviewRequest,
  deadline: Deadline,
): Promise<string | undefined> {
  const pod = name === '' ? nameIn(object) : name;
  const seen = world.pod(namespace, pod);
  if (seen?.live === true) return seen.uid;
  const reading = await readPod(pods, namespace, pod, deadline);
  if (reading.kind === 'found') return reading.uid;
  return reading.kind === 'missing' ? (seen?.uid ?? noPod) : seen?.uid;
}

/** No pod has this uid. The API server answers 404 while there is no pod of the name, and 409 when one was created meanwhile. */
const noPod = 'no-such-pod';

function nameIn(eviction: unknown): string {
  const metadata = isObject(eviction) ? eviction['metadata'] : undefined;
  const name = isObject(metadata) ? metadata['name'] : undefined;
  return typeof name === 'string' ? name : '';
}

/** One operation that adds what is not there yet, and keeps what is. */
function patchFor(eviction: Fields, uid: string): JsonPatchOperation {
  const options = eviction['deleteOptions'];
  if (!isObject(options)) return { op: 'add', path: '/deleteOptions', value: { preconditions: { uid } } };
  const preconditions = options['preconditions'];
  if (isUnset(preconditions)) return { op: 'add', path: '/deleteOptions/preconditions', value: { uid } };
  return { op: 'add', path: '/deleteOptions/preconditions/uid', value: uid };
}
