import { timingSafeEqual } from 'node:crypto';
import type { CertificatePolicy } from './certificate-policy.ts';

/**
 * The proof of an API server: an unguessable segment in the path of every webhook. Only the operator, which writes it, and those who
 * may read webhook configurations or the Secret know it. A path without one is called bare: installations from before have it.
 */
export const bare = '';

/** 32 bytes in hexadecimal: API servers want each segment of a Service's path to be a lowercase DNS name. */
const segmentBytes = 32;
const segmentLength = 2 * segmentBytes;
const calledPath = new RegExp(`^/(?:([0-9a-f]{${segmentLength}})/)?([a-z]+)$`);

export interface CalledPath {
  /** `bare`: there is none. */
  readonly segment: string;
  /** The rest, as `webhookPaths` has it for ours. */
  readonly base: string;
}

/** Undefined: it does not have the shape of a webhook's path, with or without a segment. */
export function splitPath(path: string): CalledPath | undefined {
  const [, segment = bare, name] = calledPath.exec(path) ?? [];
  return name === undefined ? undefined : { segment, base: `/${name}` };
}

export function joinPath({ segment, base }: CalledPath): string {
  return segment === bare ? base : `/${segment}${base}`;
}

export function newSegment(randomBytes: (size: number) => Buffer): string {
  return randomBytes(segmentBytes).toString('hex');
}

/** Looks at every byte of every accepted segment, so that the time it takes tells nothing about them. */
export function isAmong(segment: string, accepted: Iterable<string>): boolean {
  const given = fixedBytes(segment);
  let found = false;
  for (const one of accepted) {
    const same = timingSafeEqual(given, fixedBytes(one));
    found = (same && one.length === segment.length) || found;
  }
  return found;
}

function fixedBytes(segment: string): Buffer {
  const bytes = Buffer.alloc(segmentLength);
  bytes.write(segment, 'latin1');
  return bytes;
}

/** A segment that replicas accept, as the Secret lists it. */
export interface ListedSegment {
  readonly segment: string;
  /** When a leader made it; 0: it was found in a configuration. */
  readonly madeMs: number;
}

/** More come only of a leader that changes all the time; then the oldest that no configuration carries are dropped. */
export const maxSegments = 16;
const bareMark = '-';

/** One line for each, the newest first. What cannot be read is left out: its configuration, if there is one, still carries it. */
export function readSegments(text = ''): readonly ListedSegment[] {
  const listed = text
    .split('\n', maxSegments)
    .map((line) => /^(-|[0-9a-f]{64}) (\d{1,15})$/.exec(line))
    .filter((match) => match !== null);
  return listed.map(([, mark = '', made = '0']) => ({
    segment: mark === bareMark ? bare : mark,
    madeMs: Number(made),
  }));
}

export function segmentsText(listed: readonly ListedSegment[]): string {
  return listed.map(({ segment, madeMs }) => `${segment === bare ? bareMark : segment} ${madeMs}\n`).join('');
}

/** What a leader has seen of segments, by its own clock. Kept in memory alone: the next leader begins to wait again. */
export interface PathSightings {
  /** Since when it leads; undefined: it has not seen anything yet. */
  readonly sinceMs: number | undefined;
  /** Versions of the configurations. Between looks at different versions any path may have been carried. */
  readonly versions: string;
  /** Segments of the Secret that no configuration carries, and since when that is certain. */
  readonly unused: ReadonlyMap<string, number>;
}

export const noPathsSeen: PathSightings = { sinceMs: undefined, versions: '', unused: new Map() };

export function observePaths(
  before: PathSightings,
  listed: readonly ListedSegment[],
  carried: ReadonlySet<string>,
  versions: string,
  nowMs: number,
): PathSightings {
  const unused = listed.map(({ segment }) => segment).filter((segment) => !carried.has(segment));
  const known = before.versions === versions ? before.unused : noPathsSeen.unused;
  return {
    sinceMs: before.sinceMs ?? nowMs,
    versions,
    unused: new Map(unused.map((segment) => [segment, known.get(segment) ?? nowMs])),
  };
}

export interface PathPlan {
  /** What the Secret is to list. Undefined: it does already. */
  readonly list: readonly ListedSegment[] | undefined;
  /** What every configuration is to carry. Undefined: it is not known to every replica yet. */
  readonly publish: string | undefined;
  /** When to look again, at the latest, even if nothing changes. */
  readonly againMs: number;
}

export interface PathFacts {
  /** As the Secret has it. */
  readonly listed: readonly ListedSegment[];
  /** What API servers may call by, as the configurations were before the Secret was read or after. */
  readonly carried: ReadonlySet<string>;
  readonly seen: PathSightings;
}

/**
 * Replicas accept what the Secret lists and what a configuration carries. So a segment is listed first, and published from what was
 * read back; and what a configuration carries is listed before it is replaced, and stays listed for as long as an API server may
 * still call by it.
 */
export function planPaths(
  { listed, carried, seen }: PathFacts,
  make: () => string,
  nowMs: number,
  policy: CertificatePolicy,
): PathPlan {
  const [newest] = listed;
  const isDue = newest === undefined || isWornOut(newest, seen, nowMs, policy);
  const fresh: readonly ListedSegment[] = isDue ? [{ segment: make(), madeMs: nowMs }] : [];
  const known = new Set(listed.map(({ segment }) => segment));
  const unlisted = [...carried].filter((segment) => !known.has(segment));
  const kept = listed.filter((one) => one === newest || !isOver(one.segment, seen, nowMs, policy));
  const wanted = [...fresh, ...kept, ...unlisted.map((segment) => ({ segment, madeMs: 0 }))];
  const list =
    fresh.length + unlisted.length === 0 && kept.length === listed.length ? undefined : fitting(wanted, carried);
  const publish = newest !== undefined && newest.segment !== bare && unlisted.length === 0 ? newest.segment : undefined;
  return { list, publish, againMs: nextPathLook(listed, seen, nowMs, policy) };
}

/** One that a leader made moments before another took over is good enough for both. */
function isWornOut(newest: ListedSegment, seen: PathSightings, nowMs: number, policy: CertificatePolicy): boolean {
  const { segment, madeMs } = newest;
  if (segment === bare || madeMs > nowMs + policy.skewMs || nowMs >= madeMs + policy.pathLifetimeMs) return true;
  return madeMs + policy.settleMs < (seen.sinceMs ?? nowMs);
}

function isOver(
  segment: string,
  { unused }: PathSightings,
  nowMs: number,
  { pathGraceMs }: CertificatePolicy,
): boolean {
  const since = unused.get(segment);
  return since !== undefined && nowMs - since >= pathGraceMs;
}

function fitting(wanted: readonly ListedSegment[], carried: ReadonlySet<string>): readonly ListedSegment[] {
  const needed = (one: ListedSegment, index: number) => index === 0 || carried.has(one.segment);
  const others = wanted.filter((one, index) => !needed(one, index));
  const spare = new Set(others.slice(0, Math.max(0, maxSegments - (wanted.length - others.length))));
  return wanted.filter((one, index) => needed(one, index) || spare.has(one)).slice(0, maxSegments);
}

function nextPathLook(
  listed: readonly ListedSegment[],
  { unused }: PathSightings,
  nowMs: number,
  policy: CertificatePolicy,
): number {
  const [newest, ...older] = listed;
  const ends = older.map(({ segment }) => (unused.get(segment) ?? nowMs) + policy.pathGraceMs);
  return Math.min((newest?.madeMs ?? 0) + policy.pathLifetimeMs, ...ends);
}
