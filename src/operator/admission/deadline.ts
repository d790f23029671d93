/** How long an answer may take: a little less than the API server waits, or nobody hears it. */

/** The API server's own default for webhooks is ten seconds. */
const defaultWaitMs = 10_000;
/** API servers accept 1 to 30 seconds. */
const longestWaitMs = 30_000;
const shortestDeadlineMs = 50;

const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};
const wholeDuration = /^(?:\d{1,9}(?:\.\d{1,9})?(?:ns|us|µs|ms|s|m|h)){1,6}$/;
const onePart = /(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)/g;

/** A duration as Go writes it (`10s`, `1m30s`, `1.5s`), in milliseconds. */
export function parseGoDuration(text: string): number | undefined {
  if (!wholeDuration.test(text)) return undefined;
  let sum = 0;
  for (const [, amount, unit] of text.matchAll(onePart)) sum += Number(amount) * (unitMs[unit ?? ''] ?? 0);
  return sum;
}

/**
 * Milliseconds from the arrival of a request to its answer. The API server says in the query how long it waits; a tenth of that,
 * but at least a fifth of a second and at most one, is left for the way.
 */
export function deadlineFor(query: string): number {
  if (query !== lastQuery) {
    lastDeadline = readDeadline(query);
    lastQuery = query;
  }
  return lastDeadline;
}

/** API servers ask with the same words each time. */
let lastQuery = '';
let lastDeadline = readDeadline(lastQuery);

function readDeadline(query: string): number {
  const asked = parseGoDuration(new URLSearchParams(query).get('timeout') ?? '') ?? defaultWaitMs;
  const wait = Math.min(asked, longestWaitMs);
  const margin = Math.min(1_000, Math.max(200, wait / 10));
  return Math.max(shortestDeadlineMs, wait - margin);
}
