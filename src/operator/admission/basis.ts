import type { Effects, PodVersion } from '../../core/verdict.ts';

/**
 * The versions that must be read before the request may pass. A takeover carries the target's own version as a precondition of
 * its delete; the API server's delete carries none, so there it is read, too.
 */
export function versionsToRead(effects: Effects): readonly PodVersion[] {
  const own = effects.complete === 'pass' && effects.onlyIf !== undefined ? [effects.onlyIf] : [];
  return [...own, ...(effects.restsOn ?? [])];
}
