import { badRequest } from '../../errors.ts';
import type { KubeObject } from '../../objects.ts';
import type { Authenticator } from '../authenticate.ts';
import type { User } from '../user.ts';

/** Answers a TokenReview: which user's token it is, if it is valid. */
export function reviewToken(review: KubeObject, authenticator: Authenticator): KubeObject {
  const { token, audiences } = (review['spec'] ?? {}) as { token?: string; audiences?: string[] };
  if (!token) throw badRequest('token is required for TokenReview in authentication');
  const outcome = authenticator.authenticateToken(token, audiences?.length ? audiences : undefined);
  const status = outcome.authenticated
    ? { authenticated: true, user: userInfo(outcome.user), audiences: outcome.audiences }
    : { user: {}, error: outcome.error };
  return { ...review, status };
}

/** A user as the API shows one. */
export function userInfo({ name, uid, groups, extra }: User): Record<string, unknown> {
  return {
    username: name,
    ...(uid ? { uid } : {}),
    ...(groups.length > 0 ? { groups: [...groups] } : {}),
    ...(extra && Object.keys(extra).length > 0 ? { extra } : {}),
  };
}
