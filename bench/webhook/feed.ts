import type { ServerResponse } from 'node:http';

export type ChangeType = 'ADDED' | 'MODIFIED' | 'DELETED';

export interface Change {
  readonly type: ChangeType;
  readonly version: number;
  readonly text: string;
}

/** Which objects, as JSON, a watch is about. */
export type Matches = (text: string) => boolean;

interface Watcher {
  readonly response: ServerResponse;
  readonly matches: Matches;
}

/** A watch that begins a little later than the list it follows must not miss what came between. */
const remembered = 20_000;

/** The changes of one collection, and who is told about them. */
export class Feed {
  readonly #watchers = new Set<Watcher>();
  readonly #recent: Change[] = [];

  emit(change: Change): void {
    this.#recent.push(change);
    if (this.#recent.length > 2 * remembered) this.#recent.splice(0, remembered);
    for (const { response, matches } of this.#watchers) {
      if (!response.writableEnded && matches(change.text)) response.write(lineOf(change));
    }
  }

  /** Tells everything after `version`, from now on as well. */
  follow(response: ServerResponse, version: number, matches: Matches): void {
    for (const change of this.#recent) {
      if (change.version > version && matches(change.text)) response.write(lineOf(change));
    }
    const watcher = { response, matches };
    this.#watchers.add(watcher);
    response.once('close', () => this.#watchers.delete(watcher));
  }

  bookmark(line: string): void {
    for (const { response } of this.#watchers) if (!response.writableEnded) response.write(line);
  }
}

export function lineOf({ type, text }: Pick<Change, 'type' | 'text'>): string {
  return `{"type":"${type}","object":${text}}\n`;
}
