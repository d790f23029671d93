import { describe, expect, it } from 'vitest';
import { ns } from '../../../../../test/support/builders.ts';
import type { DryRun } from '../../../src/cli/explain/dry-run.ts';
import { explainPod } from '../../../src/cli/explain/explain-pod.ts';
import { podText } from '../../../src/cli/explain/pod-text.ts';
import { plain } from '../../../src/cli/output/paint.ts';
import { aNamespace, readAt } from '../live-world.ts';
import { aShop } from '../worlds.ts';

const allowed: DryRun = { kind: 'allowed' };
const observed = { ...aShop(), namespaces: new Map([[ns, aNamespace({ 'holdfast.dev/guard': 'observe' })]]) };

function explain(name: string) {
  const found = explainPod(observed, { namespace: ns, name, operation: 'EVICT', conditions: [], said: allowed });
  if (found === undefined) throw new Error(`there is no pod ${name}`);
  return found;
}

describe('[E1] a pod of a namespace that is observed, explained', () => {
  it('would be refused, and observe mode lets it pass', () => {
    const { answer, holdfast, api } = explain('llm-1-1');
    expect(holdfast.verdict.result).toBe('deny');
    expect(answer.text).toMatch(/^it would be refused; observe mode lets it pass: /);
    expect(answer.by).toBe('kubernetes');
    // The API server lets it go, and that is what is expected here.
    expect(api.comparison.kind).toBe(answer.may ? 'agrees' : 'disagrees');
  });

  it('has the reasons, and says where it is observed', () => {
    const text = podText(explain('llm-1-1'), { paint: plain, now: readAt });
    expect(text).toContain('what helps:');
    expect(text).toContain(
      "guarded    observed: the namespace's label holdfast.dev/guard=observe lets every request pass",
    );
  });
});
