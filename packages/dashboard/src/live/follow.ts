import type { UiDelta, UiModel } from '../model.ts';
import { type Received, receive } from './connection.ts';
import { plainJson } from './plain-json.ts';
import { clock, pageState } from './store.ts';

/** A browser gives up a stream for good when the server answers with an error; then this tries again. */
const retryMs = 2_000;
const beatMs = 1_000;

/** Follows the server until the page is closed. */
export function followServer(): void {
  setInterval(() => {
    clock.value = Date.now();
  }, beatMs);
  open();
}

function open(): void {
  const stream = new EventSource('api/events');
  stream.addEventListener('open', () => take({ kind: 'opened' }));
  stream.addEventListener('snapshot', ({ data }) => take({ kind: 'snapshot', model: plainJson<UiModel>(data) }));
  stream.addEventListener('delta', ({ data }) => take({ kind: 'delta', delta: plainJson<UiDelta>(data) }));
  stream.addEventListener('error', () => {
    take({ kind: 'lost', at: Date.now() });
    if (stream.readyState === EventSource.CLOSED) void askWhyClosed();
  });
}

async function askWhyClosed(): Promise<void> {
  const status = await fetch('api/model', { method: 'HEAD' }).then(
    (response) => response.status,
    () => 0,
  );
  if (status === 401) take({ kind: 'ended' });
  else setTimeout(open, retryMs);
}

function take(event: Received): void {
  const { state, reload } = receive(pageState.value, event);
  pageState.value = state;
  if (reload) void loadWhole();
}

let loading = false;

async function loadWhole(): Promise<void> {
  if (loading) return;
  loading = true;
  try {
    const response = await fetch('api/model');
    if (response.ok) take({ kind: 'snapshot', model: plainJson<UiModel>(await response.text()) });
  } catch {
    take({ kind: 'lost', at: Date.now() });
  } finally {
    loading = false;
  }
}
