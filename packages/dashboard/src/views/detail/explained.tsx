import type { JSX } from 'preact';
import type { CommandLine, GapNote } from '../../model.ts';
import { CopyCommand } from '../../parts/copy-command.tsx';
import { Icon } from '../../parts/icon.tsx';

interface HeadlineProps {
  readonly yes: boolean;
  readonly headline: string;
  readonly gaps: readonly GapNote[];
}

/** The answer in one sentence, and what it does not know. */
export function Headline({ yes, headline, gaps }: HeadlineProps): JSX.Element {
  return (
    <>
      <p class={`note ${yes ? 'now' : 'blocked'} headline`}>
        <Icon name={yes ? 'now' : 'blocked'} />
        <span>{headline}</span>
      </p>
      {gaps.map(({ what, why, follows }) => (
        <p key={what} class="note later">
          <Icon name="warning" />
          <span>
            <strong>{what}</strong> cannot be read: {why}. {follows}
          </span>
        </p>
      ))}
    </>
  );
}

/** To go on in a terminal, and the whole answer as it is printed there. */
export function InTerminal({
  commands,
  text,
}: {
  readonly commands: readonly CommandLine[];
  readonly text: string;
}): JSX.Element {
  return (
    <section class="panel" aria-labelledby="terminal-title">
      <h2 id="terminal-title">In a terminal</h2>
      {commands.map(({ title, line }) => (
        <div key={line} class="command-row">
          <span class="dim">{title}</span>
          <CopyCommand command={line} />
        </div>
      ))}
      {text === '' ? null : (
        <details>
          <summary>The whole answer as text</summary>
          {/* Long lines scroll, and the keyboard has to reach them. */}
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls */}
          <pre tabIndex={0}>{text}</pre>
        </details>
      )}
    </section>
  );
}
