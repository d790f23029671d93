import type { ComponentChildren, JSX } from 'preact';
import type { Answer } from '../../live/ask.ts';
import { Icon } from '../../parts/icon.tsx';
import { PageTitle } from '../../parts/page-title.tsx';

interface AnsweredProps<T> {
  readonly title: string;
  readonly answer: Answer<T> | undefined;
  readonly children: (value: T) => ComponentChildren;
}

/** The frame of every detail: its heading at once, and below it the answer, the problem, or that it is being asked. */
export function Answered<T>({ title, answer, children }: AnsweredProps<T>): JSX.Element {
  return (
    <article class="detail">
      <p class="back">
        <a href="#/">Overview</a>
      </p>
      <PageTitle title={title} />
      {answer === undefined ? <p class="dim">Asking.</p> : null}
      {answer?.kind === 'problem' ? (
        <p class="note blocked" role="alert">
          <Icon name="blocked" />
          <span>
            {answer.problem.message}
            {answer.problem.advice === undefined ? '' : `; ${answer.problem.advice}`}
          </span>
        </p>
      ) : null}
      {answer?.kind === 'answer' ? children(answer.value) : null}
    </article>
  );
}
