import { createHash } from 'node:crypto';
import type { TokenReview } from 'kubernetes-types/authentication/v1.js';
import type { KubeClient, ResourceName } from '../../../kube/client/client.ts';
import type { WebhookClock } from '../deadline.ts';

export interface TokenOptions {
  readonly client: Pick<KubeClient, 'create'>;
  readonly clock: WebhookClock;
  /** Users that are API servers. Every pod has a token that is valid: the user decides. */
  readonly users: readonly string[];
}

const reviews: ResourceName = {
  group: 'authentication.k8s.io',
  version: 'v1',
  plural: 'tokenreviews',
  namespaced: false,
};

/** An API server sends the same token for minutes; one that was revoked is believed this much longer. */
const believedMs = 60_000;
/** Where the API server cannot be asked, what it said last counts for so long: its own calls must not fail meanwhile. */
const believedUnaskedMs = 10 * 60_000;
/** One that was wrong is not asked about again at once. */
const disbelievedMs = 10_000;
/** API servers have a token each. More come only from callers that know the path and try tokens. */
const maxTokens = 256;
const reviewMs = 3_000;

interface Known {
  readonly good: boolean;
  readonly atMs: number;
}

/** Whether bearer tokens are those of API servers, by TokenReview. Keeps digests, never tokens. */
export class Tokens {
  readonly #options: TokenOptions;
  readonly #known = new Map<string, Known>();
  readonly #asking = new Map<string, Promise<boolean>>();

  constructor(options: TokenOptions) {
    this.#options = options;
  }

  async isToken(token: string): Promise<boolean> {
    const digest = createHash('sha256').update(token).digest('base64');
    const known = this.#known.get(digest);
    const ageMs = known === undefined ? Number.POSITIVE_INFINITY : this.#options.clock.monotonic() - known.atMs;
    if (known !== undefined && ageMs < (known.good ? believedMs : disbelievedMs)) return known.good;
    const asking = this.#asking.get(digest) ?? this.#ask(digest, token, known);
    this.#asking.set(digest, asking);
    return asking;
  }

  async #ask(digest: string, token: string, known: Known | undefined): Promise<boolean> {
    const { client, clock, users } = this.#options;
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token } };
    try {
      const answer = await client.create<TokenReview>(reviews, {}, body, { deadlineMs: reviewMs });
      if (!answer.ok) return known?.good === true && clock.monotonic() - known.atMs < believedUnaskedMs;
      const { authenticated, user } = answer.value.status ?? {};
      const good = authenticated === true && users.includes(user?.username ?? '');
      this.#remember(digest, { good, atMs: clock.monotonic() });
      return good;
    } catch {
      return false;
    } finally {
      this.#asking.delete(digest);
    }
  }

  /** The oldest makes room, one that was wrong before one that was right. */
  #remember(digest: string, known: Known): void {
    this.#known.delete(digest);
    if (this.#known.size >= maxTokens) {
      const [oldest] = this.#known.keys();
      const wrong = [...this.#known].find(([, { good }]) => !good)?.[0];
      this.#known.delete(wrong ?? oldest ?? '');
    }
    this.#known.set(digest, known);
  }
}
