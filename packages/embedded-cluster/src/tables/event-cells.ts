import { numberAt, objectAt, textAt } from '../kinds/builtin/checks/read.ts';
import type { Cells } from '../kinds/builtin-types.ts';
import type { JsonObject, KubeObject } from '../objects.ts';
import { since, timeOf } from './age.ts';

export const eventCells: Cells = (event, nowMs) => {
  const { first, last } = seenTexts(event, nowMs);
  const involved = objectAt(event, 'involvedObject');
  return [
    last,
    textAt(event, 'type'),
    textAt(event, 'reason'),
    targetText(involved),
    textAt(involved, 'fieldPath'),
    sourceText(event),
    textAt(event, 'message').trim(),
    first,
    countOf(event),
    event.metadata.name,
  ];
};

/** Recorders of either group fill in other fields: the newer ones have one time, and a series for repetitions. */
function seenTexts(event: KubeObject, nowMs: number): { readonly first: string; readonly last: string } {
  const first = timeOf(event['firstTimestamp']) === undefined ? event['eventTime'] : event['firstTimestamp'];
  const series = objectAt(event, 'series');
  const single = timeOf(event['lastTimestamp']) === undefined ? first : event['lastTimestamp'];
  const last = series ? series['lastObservedTime'] : single;
  return { first: since(first, nowMs), last: since(last, nowMs) };
}

function countOf(event: KubeObject): number {
  const series = objectAt(event, 'series');
  if (series) return numberAt(series, 'count') ?? 0;
  return numberAt(event, 'count') || 1;
}

function targetText(involved: JsonObject | undefined): string {
  const kind = textAt(involved, 'kind').toLowerCase();
  const name = textAt(involved, 'name');
  return name === '' ? kind : `${kind}/${name}`;
}

function sourceText(event: KubeObject): string {
  const source = objectAt(event, 'source');
  const component = textAt(source, 'component') || textAt(event, 'reportingComponent');
  const instance = textAt(source, 'host') || textAt(event, 'reportingInstance');
  return instance === '' ? component : `${component}, ${instance}`;
}
