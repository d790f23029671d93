import { signal } from '@preact/signals';
import { ask } from '../../live/ask.ts';
import type { ApiProblem, WhatIfJob, WhatIfRequest } from '../../model.ts';

export type JobState =
  | { readonly kind: 'none' }
  | { readonly kind: 'job'; readonly job: WhatIfJob }
  | { readonly kind: 'problem'; readonly problem: ApiProblem };

/** The newest question. It goes on while the reader looks at other views. */
export const jobState = signal<JobState>({ kind: 'none' });

const pollMs = 500;

export async function run(request: WhatIfRequest): Promise<void> {
  take(await ask<WhatIfJob>('api/what-if', request));
}

function take(answer: Awaited<ReturnType<typeof ask<WhatIfJob>>>): void {
  if (answer.kind === 'problem') {
    jobState.value = { kind: 'problem', problem: answer.problem };
    return;
  }
  const job = answer.value;
  jobState.value = { kind: 'job', job };
  if (job.state !== 'running') return;
  setTimeout(async () => take(await ask<WhatIfJob>(`api/what-if/${encodeURIComponent(job.id)}`)), pollMs);
}
