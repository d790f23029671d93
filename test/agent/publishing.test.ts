import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AgentBed } from './support/bed.ts';

let bed: AgentBed;

beforeEach(async () => {
  bed = await AgentBed.start();
});

afterEach(() => bed.close());

describe('what an agent says about a pod', () => {
  it('is yes on the pod and in the lease once its probe succeeds, and no in both once it fails', async () => {
    const { metadata } = await bed.pod('db-0');
    const agent = await bed.agent();
    await bed.eventually(() => bed.isDisruptable('db-0'), 'it is disruptable');
    expect(agent.missing()).toEqual([]);
    expect(await bed.shown('db-0')).toMatchObject({ status: 'True', reason: 'ProbeSucceeded' });
    const lease = await bed.lease();
    expect(lease?.metadata.labels).toEqual({ 'holdfast.dev/probe-lease': 'true' });
    expect(lease?.metadata.annotations).toEqual({
      'holdfast.dev/node': 'node-a',
      'holdfast.dev/disruptable-pods': metadata.uid,
    });
    expect(lease?.spec).toMatchObject({ leaseDurationSeconds: 40 });

    bed.application.says('db-0', 'no');
    await bed.eventually(async () => (await bed.shown('db-0'))?.status === 'False', 'it is not disruptable');
    expect(await bed.listed()).toEqual(new Set());
    const shown = await bed.shown('db-0');
    expect(shown).toMatchObject({ reason: 'ProbeFailing', message: 'container app: HTTP status 503' });

    bed.application.says('db-0', 'yes');
    await bed.eventually(() => bed.isDisruptable('db-0'), 'it is disruptable again');
  });
});
