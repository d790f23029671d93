import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { WhatIfJob, WhatIfResult } from '../../model.ts';
import { CopyCommand } from '../../parts/copy-command.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Comparison } from './comparison.tsx';
import { jobState } from './job.ts';
import { Run } from './run.tsx';
import { Waves } from './waves.tsx';

export function Outcome(): JSX.Element | null {
  const state = jobState.value;
  const done = state.kind === 'job' && state.job.state !== 'running';
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (done) heading.current?.scrollIntoView();
  }, [done]);
  if (state.kind === 'none') return null;
  const problem = state.kind === 'problem' ? state.problem : state.job.problem;
  return (
    <section class="outcome" aria-labelledby="outcome-title">
      <h2 id="outcome-title" ref={heading}>
        What would happen
      </h2>
      <p aria-live="polite" class="dim">
        {state.kind === 'job' ? stepText(state.job) : ''}
      </p>
      {problem === undefined ? null : (
        <p class="note blocked" role="alert">
          <Icon name="blocked" />
          <span>
            {problem.message}
            {problem.advice === undefined ? '' : `; ${problem.advice}`}
          </span>
        </p>
      )}
      {state.kind === 'job' && state.job.result !== undefined ? (
        <Result result={state.job.result} commands={state.job.commands} />
      ) : null}
    </section>
  );
}

function stepText({ state, step }: WhatIfJob): string {
  return state === 'running' ? `${step} ...` : state === 'done' ? 'Done.' : '';
}

interface ResultProps {
  readonly result: WhatIfResult;
  readonly commands: readonly string[];
}

function Result({ result, commands }: ResultProps): JSX.Element {
  const { plan, asItIs, changed, comparison, warnings, html } = result;
  const until = Math.max(1_000, asItIs.durationMs, changed?.durationMs ?? 0);
  return (
    <>
      {comparison === undefined ? null : <Comparison comparison={comparison} />}
      {warnings.map((warning) => (
        <p key={warning} class="note later">
          <Icon name="warning" />
          <span>{warning}</span>
        </p>
      ))}
      <div class={changed === undefined ? 'one-run' : 'two-runs'}>
        <Run title={changed === undefined ? 'Simulated' : 'As it is'} run={asItIs} until={until} />
        {changed === undefined ? null : <Run title="Changed" run={changed} until={until} />}
      </div>
      <Waves plan={plan} />
      <section class="panel" aria-labelledby="keep-title">
        <h2 id="keep-title">Keep it</h2>
        <p>
          <a class="button" href={html.replace(/^\//, '')} download>
            Save as one HTML file
          </a>
        </p>
        {commands.map((command) => (
          <CopyCommand key={command} command={command} />
        ))}
      </section>
    </>
  );
}
