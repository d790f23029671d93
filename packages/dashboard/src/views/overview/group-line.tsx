import type { JSX } from 'preact';
import type { GroupRow, PodDot } from '../../model.ts';
import { Ago } from '../../parts/age.tsx';
import { Icon } from '../../parts/icon.tsx';
import { budgetRoute, Link } from '../../parts/link.tsx';
import { hashOf } from '../../routes.ts';
import { counted } from '../../words/counts.ts';
import { dotText, fewDots, groupNumbers, probeText, shownDots } from './group-words.ts';

export function GroupLine({ group }: { readonly group: GroupRow }): JSX.Element {
  const { namespace, name, available, dots, dotsLeftOut, missing, probe } = group;
  const said = probeText(group);
  const shown = shownDots(dots);
  const leftOut = dots.length - shown.length + dotsLeftOut;
  return (
    <div class={`group-line ${available ? 'now' : 'blocked'}`}>
      <Icon name={available ? 'now' : 'blocked'} />
      <span class="group-name">
        <Link to={budgetRoute(group.budget)}>
          {namespace}/{name}
        </Link>
        <span class="dim"> {available ? 'up' : 'down'}</span>
      </span>
      <span class={`dots${dots.length > fewDots ? ' many' : ''}`}>
        {shown.map((dot) => (
          <Dot key={dot.name} dot={dot} namespace={namespace} />
        ))}
        {Array.from({ length: Math.min(missing, maxOutlines) }, (_, index) => (
          <span
            key={`missing ${index}`}
            class="dot missing"
            role="img"
            aria-label="a member is missing"
            title="a member is missing"
          />
        ))}
        {leftOut === 0 ? null : <span class="dim">and {counted(leftOut, 'more pod')}</span>}
      </span>
      <span class="group-text dim">
        {groupNumbers(group)}
        {said === undefined ? null : ` · ${said}`}
        {probe?.confirmedAt === undefined ? null : (
          <>
            , <Ago at={probe.confirmedAt} />
          </>
        )}
      </span>
    </div>
  );
}

/** Outlines beyond this say no more than the number beside them. */
const maxOutlines = 32;

function Dot({ dot, namespace }: { readonly dot: PodDot; readonly namespace: string }): JSX.Element {
  const text = dotText(dot);
  const vetoed = dot.probe === 'no' || dot.probe === 'unconfirmed' ? ' veto' : '';
  return (
    <a class={`dot ${dot.state}${vetoed}`} href={hashOf({ view: 'pod', namespace, name: dot.name })} title={text}>
      <span class="spoken">{text}</span>
    </a>
  );
}
