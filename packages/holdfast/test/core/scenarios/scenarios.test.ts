import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { table } from '../../../../../test/support/table.ts';
import { runScenario } from './runner.ts';

const scenarios: readonly { readonly name: string; readonly file: string }[] = [
  { name: '[N4] the story of nodes A, B and C: one of two groups of three keeps serving', file: 'kep-nodes.txt' },
  { name: '[I2] the first story: ten groups of eight, of which nine must serve', file: 'kep-story-1.txt' },
  { name: '[I2] a LeaderWorkerSet of three groups, at most one of which may be down', file: 'lws-pub.txt' },
  { name: '[I2] a group is charged once, and what it can spare costs nothing', file: 'charge-once.txt' },
  { name: '[V1] a database that says no, and then yes', file: 'probe.txt' },
  { name: '[I9] a crash between reservation and deletion', file: 'crash.txt' },
  { name: '[I10] a broken group, whose leader its controller deletes', file: 'broken-group.txt' },
  { name: '[H5] a shard of which one pod must not be disturbed', file: 'withheld.txt' },
  { name: '[I3] two budgets over one pod', file: 'two-budgets.txt' },
];

/** With UPDATE_SCENARIOS=1 the files are written as they came out: read the difference before you commit it. */
const update = process.env['UPDATE_SCENARIOS'] === '1';

describe('scenarios', () => {
  table(scenarios, ({ file }) => {
    const path = new URL(file, import.meta.url);
    const text = readFileSync(path, 'utf8');
    const transcript = runScenario(text);
    if (update) writeFileSync(path, transcript);
    else expect(transcript).toBe(text);
  });

  it('are all listed here', () => {
    const files = readdirSync(new URL('.', import.meta.url)).filter((file) => file.endsWith('.txt'));
    expect(files.toSorted()).toEqual(scenarios.map((one) => one.file).toSorted());
  });

  it('name the line that makes no sense', () => {
    expect(() => runScenario('deployment web 2\nexplode web-0')).toThrow('command 2, "explode web-0"');
    expect(() => runScenario('evict')).not.toThrow();
    expect(() => runScenario('pod gone absent')).toThrow('there is no pod absent');
  });
});
