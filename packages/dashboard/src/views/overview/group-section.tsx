import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { groups, head } from '../../live/store.ts';
import { VirtualList } from '../../parts/virtual-list.tsx';
import { counted } from '../../words/counts.ts';
import { GroupLine } from './group-line.tsx';
import { groupOrder } from './group-words.ts';

const rowHeight = () => 58;

export function GroupSection(): JSX.Element | null {
  const all = groups.value;
  const ordered = useMemo(() => groupOrder(all), [all]);
  const leftOut = head.value?.groupsLeftOut ?? 0;
  if (all.length === 0) return null;
  return (
    <section class="panel" aria-labelledby="groups-title">
      <h2 id="groups-title">Groups</h2>
      <VirtualList
        label={counted(all.length, 'group')}
        rows={ordered}
        heightOf={rowHeight}
        maxHeight={464}
        rowKey={({ key }) => key}
      >
        {(group) => <GroupLine group={group} />}
      </VirtualList>
      {leftOut === 0 ? null : <p class="dim">{counted(leftOut, 'more group')} are on the pages of their budgets.</p>}
    </section>
  );
}
