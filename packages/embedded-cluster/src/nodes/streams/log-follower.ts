import type { ServerResponse } from 'node:http';
import type { PodObject } from '../../controllers/common/workloads.ts';
import type { View } from '../../view.ts';
import { type LogOptions, logOf } from './log.ts';

export interface Followed {
  readonly view: View;
  readonly pod: PodObject;
  readonly container: string;
  readonly options: LogOptions;
  /** What the first look at the log gave. */
  readonly already: string;
}

/** Unread output at which a client is too slow to be served any longer. */
const maxUnread = 1024 * 1024;

/** Writes the log and whatever is added to it, until the pod has ended or is gone, or the client leaves. */
export function followLog({ view, pod, container, options, already }: Followed, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/plain', 'cache-control': 'no-cache, private' });
  response.flushHeaders();
  let left = (options.limitBytes ?? Number.POSITIVE_INFINITY) - Buffer.byteLength(already);
  if (already !== '') response.write(already);
  const { limitBytes: _limit, tailLines: _tail, ...unbounded } = options;
  let seen = logOf(pod, container, unbounded);
  let subscription: { stop(): void } | undefined;
  const end = () => {
    subscription?.stop();
    response.end();
  };
  const look = (current: PodObject) => {
    const text = logOf(current, container, unbounded);
    const added = Buffer.from(addedLines(seen, text)).subarray(0, left);
    seen = text;
    left -= added.length;
    if (added.length > 0) response.write(added);
    if (left <= 0 || isOver(current) || response.writableLength > maxUnread) end();
  };
  response.on('close', () => subscription?.stop());
  subscription = view.watch('pods', ({ type, object }) => {
    if (response.writableEnded || object.metadata.uid !== pod.metadata.uid) return;
    if (type === 'DELETED') end();
    else look(object as PodObject);
  });
  if (response.writableEnded) subscription.stop();
}

function isOver(pod: PodObject): boolean {
  return pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
}

/** Lines of the new text that the old one does not have; a restarted container begins a new text. */
function addedLines(before: string, now: string): string {
  if (now.startsWith(before)) return now.slice(before.length);
  const known = new Set(before.split('\n'));
  const added = now.split('\n').filter((line) => line !== '' && !known.has(line));
  return added.map((line) => `${line}\n`).join('');
}
