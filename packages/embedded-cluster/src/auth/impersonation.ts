import type { ApiError } from '../errors.ts';
import { forbiddenError } from './forbidden-error.ts';
import { quote } from './go-quote.ts';
import {
  anonymousName,
  authenticatedGroup,
  nodeNameKey,
  nodeNameOf,
  nodesGroup,
  privilegedGroup,
  serviceAccountGroups,
  splitServiceAccountName,
  unauthenticatedGroup,
  withGroup,
} from './identities.ts';
import type { WantedUser } from './impersonation-headers.ts';
import type { Attributes, Authorizer, User } from './user.ts';

export type ImpersonationOutcome =
  | { readonly allowed: true; readonly user: User }
  | { readonly allowed: false; readonly error: ApiError };

/**
 * A way to be allowed to act as another user. The constrained ways want two rights: to act as that user, and to do so for this
 * very request. `impersonate` alone allows both.
 */
interface Mode {
  readonly verb: string;
  readonly constrained: boolean;
  applies(wanted: WantedUser, requester: User): boolean;
}

const modes: readonly Mode[] = [
  constrained('associated-node', (wanted, requester) => onlyNamed(wanted) && runsOn(requester, wanted)),
  constrained('arbitrary-node', (wanted) => onlyNamed(wanted) && nodeNameOf(wanted.name) !== undefined),
  constrained('serviceaccount', (wanted) => onlyNamed(wanted) && splitServiceAccountName(wanted.name) !== undefined),
  constrained('user-info', ({ name }) => nodeNameOf(name) === undefined && splitServiceAccountName(name) === undefined),
  { verb: 'impersonate', constrained: false, applies: () => true },
];

function constrained(name: string, applies: Mode['applies']): Mode {
  return { verb: `impersonate:${name}`, constrained: true, applies };
}

/** As whom a request goes on. `request` is what it asks for as its real user; the first refusal is the one reported. */
export function impersonate(wanted: WantedUser, request: Attributes, authorizer: Authorizer): ImpersonationOutcome {
  let first: ApiError | undefined;
  for (const mode of modes) {
    if (!mode.applies(wanted, request.user)) continue;
    const error = modeProblem(mode, wanted, request, authorizer);
    if (!error) return { allowed: true, user: actualUser(mode, wanted) };
    first ??= error;
  }
  // The last mode applies to all users, so there has been a refusal.
  return { allowed: false, error: first as ApiError };
}

function modeProblem(
  mode: Mode,
  wanted: WantedUser,
  request: Attributes,
  authorizer: Authorizer,
): ApiError | undefined {
  if (mode.constrained) {
    const verb = `${mode.verb.replace('impersonate:', 'impersonate-on:')}:${request.verb}`;
    const refusal = refusalOf({ ...request, verb }, authorizer);
    if (refusal) return refusal;
  }
  for (const question of questions(mode, wanted, request.user)) {
    const refusal =
      question.why === undefined ? refusalOf(question.asked, authorizer) : forbiddenError(question.asked, question.why);
    if (refusal) return refusal;
  }
  return undefined;
}

function refusalOf(asked: Attributes, authorizer: Authorizer): ApiError | undefined {
  const decision = authorizer.decide(asked);
  return decision.allowed ? undefined : forbiddenError(asked, decision.reason);
}

interface Question {
  readonly asked: Attributes;
  /** Refused whatever the authorizer says. */
  readonly why?: string;
}

const authenticationGroup = 'authentication.k8s.io';

/** Everything the requester must be allowed, in the order in which it is asked. */
function* questions(mode: Mode, wanted: WantedUser, user: User): Generator<Question> {
  const about = (group: string, resource: string, name: string) => ({
    user,
    verb: mode.verb,
    group,
    version: 'v1',
    resource,
    subresource: '',
    namespace: '',
    name,
  });
  const group = mode.constrained ? authenticationGroup : '';
  yield { asked: { ...about(group, 'users', wanted.name), ...namedAs(mode, wanted.name) } };
  if (wanted.uid !== '') yield { asked: about(authenticationGroup, 'uids', wanted.uid) };
  if (mode.constrained) yield* forbiddenGroups(wanted, (name) => about(group, 'groups', name));
  for (const name of wanted.groups) yield { asked: about(group, 'groups', name) };
  for (const [key, values] of wanted.extra) {
    const asked = about(authenticationGroup, 'userextras', '');
    const why = mode.constrained ? extraProblem(key, values) : undefined;
    if (why !== undefined) yield { asked, why };
    for (const name of values) yield { asked: { ...asked, subresource: key, name } };
  }
}

/** Service accounts, and in the constrained modes nodes, are asked for as what they are. */
function namedAs(mode: Mode, username: string): { resource: string; namespace: string; name: string } | undefined {
  const account = splitServiceAccountName(username);
  if (account) return { resource: 'serviceaccounts', ...account };
  const node = mode.constrained ? nodeNameOf(username) : undefined;
  if (node === undefined) return undefined;
  return { resource: 'nodes', namespace: '', name: mode.verb === 'impersonate:associated-node' ? '*' : node };
}

function* forbiddenGroups({ groups }: WantedUser, about: (name: string) => Attributes): Generator<Question> {
  if (groups.includes('')) yield { asked: about(''), why: 'impersonating the empty string group is not allowed' };
  if (groups.includes(privilegedGroup)) {
    yield { asked: about(privilegedGroup), why: 'impersonating the system:masters group is not allowed' };
  }
}

const extraKeyPattern = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?\/[^A-Z]+$/;

function extraProblem(key: string, values: readonly string[]): string | undefined {
  if (key === '') return 'impersonating the empty string key in extra is not allowed';
  if (!extraKeyPattern.test(key)) return `impersonating an invalid key in extra is not allowed: ${quote(key)}`;
  return values.includes('') ? 'impersonating the empty string value in extra is not allowed' : undefined;
}

function actualUser(mode: Mode, wanted: WantedUser): User {
  const { name, uid, extra } = wanted;
  return {
    name,
    groups: actualGroups(mode, wanted),
    ...(uid === '' ? {} : { uid }),
    ...(extra.size === 0 ? {} : { extra: Object.fromEntries(extra) }),
  };
}

function actualGroups(mode: Mode, { name, groups }: WantedUser): readonly string[] {
  const account = splitServiceAccountName(name);
  const fixed = mode.constrained && nodeNameOf(name) !== undefined ? [nodesGroup] : groups;
  const known = account && groups.length === 0 ? serviceAccountGroups(account.namespace) : fixed;
  if (name === anonymousName) return withGroup(known, unauthenticatedGroup);
  return known.includes(unauthenticatedGroup) ? known : withGroup(known, authenticatedGroup);
}

function onlyNamed({ uid, groups, extra }: WantedUser): boolean {
  return uid === '' && groups.length === 0 && extra.size === 0;
}

/** A pod's service account on the node it wants to be. */
function runsOn({ name, extra }: User, wanted: WantedUser): boolean {
  const node = nodeNameOf(wanted.name);
  const own = extra?.[nodeNameKey];
  return node !== undefined && splitServiceAccountName(name) !== undefined && own?.length === 1 && own[0] === node;
}
