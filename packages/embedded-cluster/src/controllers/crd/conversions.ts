import type { ResolveService } from '../../admission/webhooks/webhook-endpoint.ts';
import { createPostReview } from '../../crd/conversion-post.ts';
import { type ConvertObjects, conversionWebhook } from '../../crd/conversion-webhook.ts';
import type { Crd } from '../../crd/crd.ts';
import type { Clock } from '../../time/clock.ts';
import { type Random, randomUid } from '../../time/random.ts';

export interface ConversionsOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly resolveService: ResolveService;
}

/** Conversion of custom objects by the webhooks that CRDs name. */
export function conversionsByWebhook({
  clock,
  random,
  resolveService,
}: ConversionsOptions): (crd: Crd) => ConvertObjects {
  const post = createPostReview({
    clock,
    resolveService(namespace, name, port) {
      const found = resolveService(namespace, name, port, '/');
      return found && new URL(found.url);
    },
  });
  return (crd) => conversionWebhook(crd, { post, newUid: () => randomUid(random) });
}
