import { randomUUID } from 'node:crypto';
import { Problem } from '../../../observe/problem.ts';
import type { ApiProblem } from '../../../ui/details.ts';
import type { WhatIfJob, WhatIfRequest } from '../../../ui/what-if.ts';
import { json, problem, type Reply, reportPolicy } from '../serve/answers.ts';
import { parseWhatIf } from './parse-request.ts';
import { type Answered, commandsFor, type RequestTerms, runRequest } from './run-request.ts';

export interface JobTerms extends Omit<RequestTerms, 'signal' | 'step'> {
  /** Stands in for the simulation in tests. */
  readonly run?: (request: WhatIfRequest, terms: RequestTerms) => Promise<Answered>;
}

interface Job {
  shown: WhatIfJob;
  html?: string;
}

/** Each has a report of some hundred kilobytes. */
const maxJobs = 10;

/** What was asked, one after the other: simulations have the process to themselves, and a person asks one thing at a time. */
export class WhatIfJobs {
  readonly #terms: JobTerms;
  readonly #jobs = new Map<string, Job>();
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;

  constructor(terms: JobTerms) {
    this.#terms = terms;
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  start(body: unknown): Reply {
    const parsed = parseWhatIf(body);
    if (!parsed.ok) return problem('badRequest', parsed.why);
    if (this.#running !== undefined)
      return problem('busy', 'another question is being simulated', 'Wait for its answer.');
    const { request } = parsed;
    const id = randomUUID();
    const commands = commandsFor(request, this.#terms.access);
    const job: Job = { shown: { id, state: 'running', step: 'beginning', request, commands } };
    this.#remember(id, job);
    this.#running = this.#run(job, request).finally(() => {
      this.#running = undefined;
    });
    return json(job.shown, 202);
  }

  get(id: string): Reply | undefined {
    const job = this.#jobs.get(id);
    return job === undefined ? undefined : json(job.shown);
  }

  report(id: string): Reply | undefined {
    const html = this.#jobs.get(id)?.html;
    if (html === undefined) return undefined;
    const headers = {
      'content-security-policy': reportPolicy,
      'content-disposition': 'attachment; filename="holdfast-what-if.html"',
    };
    return { status: 200, type: 'text/html; charset=utf-8', body: html, headers };
  }

  #remember(id: string, job: Job): void {
    this.#jobs.set(id, job);
    if (this.#jobs.size <= maxJobs) return;
    for (const oldest of this.#jobs.keys()) {
      this.#jobs.delete(oldest);
      return;
    }
  }

  async #run(job: Job, request: WhatIfRequest): Promise<void> {
    const { run = runRequest, ...terms } = this.#terms;
    const { signal } = this.#stopping;
    const step = (text: string) => {
      job.shown = { ...job.shown, step: text };
    };
    try {
      const { result, html } = await run(request, { ...terms, signal, step });
      job.html = html;
      const address = `/api/what-if/${job.shown.id}.html`;
      job.shown = { ...job.shown, state: 'done', step: 'done', result: { html: address, ...result } };
    } catch (error) {
      job.shown = { ...job.shown, state: 'failed', step: 'failed', problem: problemOf(error) };
    }
  }
}

function problemOf(error: unknown): ApiProblem {
  const message = error instanceof Error ? error.message : String(error);
  const advice = error instanceof Problem ? error.advice : undefined;
  return { problem: 'failed', message, ...(advice === undefined ? {} : { advice }) };
}
