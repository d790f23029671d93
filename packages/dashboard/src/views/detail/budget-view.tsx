import type { JSX } from 'preact';
import { pathOf } from '../../live/ask.ts';
import { useAnswer } from '../../live/use-answer.ts';
import type { BudgetDetail } from '../../model.ts';
import { For } from '../../parts/age.tsx';
import { Bar } from '../../parts/bar.tsx';
import { VirtualList } from '../../parts/virtual-list.tsx';
import { hashOf } from '../../routes.ts';
import { counted } from '../../words/counts.ts';
import { GroupLine } from '../overview/group-line.tsx';
import { draftBudget } from '../what-if/draft.ts';
import { Answered } from './answered.tsx';
import { BudgetChecks } from './budget-checks.tsx';
import { BudgetReasons } from './budget-reasons.tsx';
import { Headline, InTerminal } from './explained.tsx';
import { Reservations } from './reservations.tsx';

const rowHeight = () => 58;

interface BudgetViewProps {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

export function BudgetView({ kind, namespace, name }: BudgetViewProps): JSX.Element {
  const answer = useAnswer<BudgetDetail>(pathOf('budgets', kind, namespace, name));
  return (
    <Answered title={`Budget ${kind}/${namespace}/${name}`} answer={answer}>
      {(detail) => (
        <>
          <Headline {...detail} />
          <div class="columns">
            <div class="column wide">
              <Numbers detail={detail} />
              <BudgetChecks detail={detail} />
              <Groups detail={detail} />
              <BudgetReasons detail={detail} />
            </div>
            <div class="column">
              <Reservations reservations={detail.reservations} />
              <InTerminal commands={detail.commands} text={detail.text} />
              <Manifest detail={detail} />
            </div>
          </div>
        </>
      )}
    </Answered>
  );
}

function Numbers({ detail: { budget, numbers, source } }: { readonly detail: BudgetDetail }): JSX.Element {
  const { blocked } = budget;
  return (
    <section class="panel" aria-labelledby="numbers-title">
      <h2 id="numbers-title">Numbers</h2>
      <Bar bar={budget} />
      <p>{numbers}</p>
      {source === undefined || numbers.includes(source) ? null : (
        <p class="dim">The expected number comes from: {source}</p>
      )}
      {blocked === undefined ? null : (
        <p>
          Blocks <For since={blocked.since} atLeast={blocked.sinceStart} />: {blocked.message}.{' '}
          {blocked.help === '' ? null : (
            <>
              <span class="dim">What would help: </span>
              {blocked.help}
            </>
          )}
        </p>
      )}
    </section>
  );
}

function Groups({ detail: { groups } }: { readonly detail: BudgetDetail }): JSX.Element | null {
  if (groups.length === 0) return null;
  return (
    <section class="panel" aria-labelledby="groups-title">
      <h2 id="groups-title">Groups</h2>
      <VirtualList
        label={counted(groups.length, 'group')}
        rows={groups}
        heightOf={rowHeight}
        maxHeight={464}
        rowKey={({ key }) => key}
      >
        {(group) => <GroupLine group={group} />}
      </VirtualList>
    </section>
  );
}

function Manifest({ detail: { manifest } }: { readonly detail: BudgetDetail }): JSX.Element {
  return (
    <section class="panel" aria-labelledby="manifest-title">
      <h2 id="manifest-title">Manifest</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls */}
      <pre tabIndex={0}>{manifest}</pre>
      <p>
        <button
          type="button"
          onClick={() => {
            draftBudget(manifest);
            location.hash = hashOf({ view: 'whatIf', nodes: [] });
          }}
        >
          Change it in a what-if
        </button>
      </p>
    </section>
  );
}
