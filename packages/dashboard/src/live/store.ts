import { computed, type ReadonlySignal, signal } from '@preact/signals';
import type { BudgetBar, DrainProgress, GroupRow, NodeTile, RefusalRow, TimelineLane, UiHead } from '../model.ts';
import type { PageState } from './connection.ts';

/** What the page knows. One writer: `follow.ts`. */
export const pageState = signal<PageState>({ link: { kind: 'connecting' } });

/** The page's clock, one beat a second: ages follow it. */
export const clock = signal(Date.now());

// One signal for each list: a delta leaves lists that did not change as they are, and then nothing that shows them is drawn again.
export const head: ReadonlySignal<UiHead | undefined> = computed(() => pageState.value.model?.head);
export const nodes: ReadonlySignal<readonly NodeTile[]> = listOf((model) => model.nodes);
export const budgets: ReadonlySignal<readonly BudgetBar[]> = listOf((model) => model.budgets);
export const groups: ReadonlySignal<readonly GroupRow[]> = listOf((model) => model.groups);
export const drains: ReadonlySignal<readonly DrainProgress[]> = listOf((model) => model.drains);
export const lanes: ReadonlySignal<readonly TimelineLane[]> = listOf((model) => model.lanes);
export const refusals: ReadonlySignal<readonly RefusalRow[]> = listOf((model) => model.refusals);

const none: readonly never[] = [];

function listOf<T>(pick: (model: NonNullable<PageState['model']>) => readonly T[]): ReadonlySignal<readonly T[]> {
  return computed(() => {
    const { model } = pageState.value;
    return model === undefined ? none : pick(model);
  });
}
