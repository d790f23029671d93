import type { JSX } from 'preact';
import { head } from '../../live/store.ts';
import { PageTitle } from '../../parts/page-title.tsx';
import { Tag } from '../../parts/tag.tsx';
import { BudgetSection } from './budget-section.tsx';
import { GroupSection } from './group-section.tsx';
import { NodeSection } from './node-section.tsx';
import { Notes } from './notes.tsx';
import { facts, headline } from './summary.ts';

export function Overview(): JSX.Element {
  const { value } = head;
  if (value === undefined) return <PageTitle title="Overview">Connecting</PageTitle>;
  return (
    <>
      <header class="summary">
        <PageTitle title="Overview">{headline(value)}</PageTitle>
        <ul class="facts">
          {facts(value).map(({ icon, tone, text }) => (
            <li key={text}>
              {tone === 'plain' ? (
                <span class="dim">{text}</span>
              ) : (
                <Tag icon={icon} tone={tone}>
                  {text}
                </Tag>
              )}
            </li>
          ))}
        </ul>
        <Notes head={value} />
      </header>
      <div class="columns">
        <div class="column">
          <BudgetSection />
          <GroupSection />
        </div>
        <div class="column">
          <NodeSection />
        </div>
      </div>
    </>
  );
}
