import { drive } from '../../packages/holdfast/src/cli/simulate/drive.ts';
import { Random } from '../../packages/holdfast/test/core/ledger-model/random.ts';
import type { History } from './history.ts';
import { judgeDisruption, type Violation } from './judge.ts';
import { Stop } from './last-questions.ts';
import { checkLedger, LedgerRecord } from './ledger-rules.ts';
import { play } from './play.ts';
import { drawScenario } from './scenario.ts';
import { openStack, type Stack } from './stack.ts';
import { ledgerText, notedIn, stateOf } from './words.ts';

export interface ScheduleResult {
  readonly seed: number;
  readonly violation: Violation | undefined;
  readonly transcript: readonly string[];
  readonly disruptions: number;
  readonly history: History;
}

/** One random story of the whole stack. A schedule is its seed, and nothing else. */
export async function runSchedule(seed: number, logLevel: 'error' | 'warn' = 'error'): Promise<ScheduleResult> {
  const random = new Random(seed);
  const scenario = drawScenario(seed, random);
  const transcript: string[] = [];
  const skews = [0, 0, 0].map(() => (random.chance(30) ? (random.below(600) - 300) * 1_000 : 0));
  let origin = 0;
  const opening = openStack({ seed, replicas: scenario.replicas, skews, logLevel, report: (line) => tell(line) });
  let stack: Stack | undefined;
  const tell = (line: string) => {
    const at = stack === undefined ? 0 : stack.clock.now() - origin;
    transcript.push(`t+${(at / 1000).toFixed(3).padStart(8)}  ${line}`);
  };
  stack = await opening;
  origin = stack.clock.now();
  const violations: Violation[] = [];
  const record = new LedgerRecord();
  observe(stack, record, tell, violations);
  try {
    tell(
      `${scenario.apps.map((app) => `${app.kind} ${app.name} x${app.replicas}`).join(', ')}; ${scenario.replicas} replicas`,
    );
    for (const budget of scenario.budgets)
      tell(
        `${budget.kind} ${budget.metadata.name} ${JSON.stringify(budget['spec'])} ${JSON.stringify(budget.metadata.annotations ?? {})}`,
      );
    const story = play({ stack, scenario, random, tell });
    await drive(stack.clock, story, { enough: () => violations.length > 0 });
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    violations.push(error.violation);
  } finally {
    await drive(stack.clock, stack.close());
  }
  const { history } = stack;
  return { seed, violation: violations[0], transcript, disruptions: history.disruptions.length, history };
}

function observe(stack: Stack, record: LedgerRecord, tell: (line: string) => void, violations: Violation[]): void {
  const { history, clock } = stack;
  const found = (violation: Violation | undefined) => {
    if (violation === undefined) return;
    tell(`VIOLATION ${violation.clause}: ${violation.message}`);
    violations.push(violation);
  };
  history.onDisruption = (disruption) => {
    tell(
      `${disruption.pod.metadata.name} (${disruption.pod.metadata.uid?.slice(0, 4)}) taken away by ${disruption.cause} of ${disruption.user}`,
    );
    found(judgeDisruption(history, disruption));
    found(record.tookAway(disruption, clock.now()));
  };
  history.onLedger = (before, after) => {
    tell(`ledger: ${ledgerText(after)}`);
    found(checkLedger(after, history.asked, clock.now()));
    record.wrote(before, after, clock.now());
  };
  history.onBudget = (before, after) => {
    const [was, is] = [before, after].map((one) => notedIn(one).join(', '));
    if (was !== is) tell(`PDB ${(after ?? before)?.metadata.name} notes as evicted: ${is === '' ? 'none' : is}`);
  };
  history.onPod = (before, after) => {
    const was = before === undefined ? 'none' : stateOf(before);
    const is = after === undefined ? 'gone' : stateOf(after);
    const object = after ?? before;
    if (was !== is) tell(`pod ${object?.metadata.name} (${object?.metadata.uid?.slice(0, 4)}): ${is}`);
  };
}
