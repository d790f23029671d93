import { request } from 'node:http';
import { openUi, type RunningUi } from '../../../packages/holdfast/src/cli/ui/open-ui.ts';
import { applyDelta, type UiDelta } from '../../../packages/holdfast/src/ui/delta.ts';
import type { UiModel } from '../../../packages/holdfast/src/ui/model.ts';
import { waitUntil } from './wait.ts';

/** The server on a cluster, as `holdfast ui` starts it. */
export function uiOn(kubeconfig: string, more: { readonly namespace?: string } = {}): Promise<RunningUi> {
  return openUi({
    port: 0,
    kubeconfig,
    ...more,
    report: (problem) => {
      throw new Error(problem);
    },
  });
}

export async function getJson<T>({ server }: RunningUi, path: string): Promise<{ code: number; value: T }> {
  const headers = { authorization: `Bearer ${server.token}` };
  const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, { headers });
  return { code: answer.status, value: (await answer.json()) as T };
}

export async function postJson<T>(
  { server }: RunningUi,
  path: string,
  body: unknown,
): Promise<{ code: number; value: T }> {
  const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' };
  const url = `http://127.0.0.1:${server.port}${path}`;
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  return { code: answer.status, value: (await answer.json()) as T };
}

/** A page without a screen: it keeps its model by the events alone, as the real one does. */
export class FollowingPage {
  model: UiModel | undefined;
  /** The kinds of events, in order. */
  readonly kinds: string[] = [];
  readonly deltas: UiDelta[] = [];
  readonly #close: () => void;

  constructor({ server }: RunningUi) {
    const headers = { authorization: `Bearer ${server.token}` };
    let rest = '';
    const call = request({ host: '127.0.0.1', port: server.port, path: '/api/events', headers }, (answer) => {
      answer.setEncoding('utf8');
      answer.on('error', () => undefined);
      answer.on('data', (chunk: string) => {
        const events = (rest + chunk).split('\n\n');
        rest = events.pop() ?? '';
        for (const event of events) this.#take(event);
      });
    });
    call.on('error', () => undefined);
    call.end();
    this.#close = () => call.destroy();
  }

  close(): void {
    this.#close();
  }

  /** Waits until the model that came by the events is as it should be. */
  until(what: string, good: (model: UiModel) => boolean): Promise<UiModel> {
    const read = () => this.model;
    return waitUntil(what, read, (model) => model !== undefined && good(model)) as Promise<UiModel>;
  }

  untilLive(): Promise<UiModel> {
    const isDone = ({ head, nodes }: UiModel) =>
      head.data.kind === 'live' && nodes.length > 0 && nodes.every(({ state }) => state !== 'unknown');
    return this.until('everything is read and judged', isDone);
  }

  #take(text: string): void {
    const [first = '', , third = ''] = text.split('\n');
    if (!first.startsWith('event: ')) return;
    const kind = first.slice('event: '.length);
    const data: unknown = JSON.parse(third.slice('data: '.length));
    this.kinds.push(kind);
    if (kind === 'snapshot') this.model = data as UiModel;
    if (kind !== 'delta') return;
    const delta = data as UiDelta;
    this.deltas.push(delta);
    if (this.model === undefined || this.model.head.revision !== delta.from) {
      throw new Error(`a delta from ${delta.from} cannot be applied to ${this.model?.head.revision}`);
    }
    this.model = applyDelta(this.model, delta);
  }
}
