import { describe, expect, it } from 'vitest';
import { type AgentPod, projectAgentPod } from '../../src/agent/pods/agent-pod.ts';
import type { ProbedPodState } from '../../src/agent/pods/probed-pods.ts';
import { planCondition } from '../../src/agent/publish/plan-condition.ts';
import { refusalToProbe, verdictOf } from '../../src/agent/verdict.ts';
import type { ProbeTally } from '../../src/agent/worker/thresholds.ts';

const running = { running: { startedAt: '2026-01-01T00:00:00Z' } };

function pod(change: { annotations?: object; spec?: object; status?: object; metadata?: object } = {}): AgentPod {
  return projectAgentPod({
    metadata: {
      name: 'db-0',
      namespace: 'shop',
      uid: 'u1',
      resourceVersion: '7',
      annotations: { 'holdfast.dev/disruption-probe': '{"tcpSocket": {"port": "sql"}}', ...change.annotations },
      ...change.metadata,
    },
    spec: {
      nodeName: 'node-a',
      containers: [{ name: 'app', ports: [{ name: 'sql', containerPort: 5432 }] }, { name: 'log' }],
      ...change.spec,
    },
    status: {
      podIP: '10.0.0.1',
      containerStatuses: [{ name: 'app', containerID: 'c1', restartCount: 0, started: true, state: running }],
      ...change.status,
    },
  });
}

const status = (container: object) => ({ containerStatuses: [{ name: 'app', ...container }] });
const idOf = (found: AgentPod) => found.probed?.running.get('app')?.id;

describe('what the agent keeps of a pod', () => {
  it('is whom to ask, and where', () => {
    expect(pod().probed).toMatchObject({
      node: 'node-a',
      leaving: false,
      address: '10.0.0.1',
      probes: { ok: true, value: [{ container: 'app' }] },
      ports: new Map([
        ['app', new Map([['sql', 5432]])],
        ['log', new Map()],
      ]),
      present: undefined,
    });
    expect(pod().probed?.running.get('app')?.startedAt).toBe(Date.UTC(2026, 0, 1));
  });

  it('is next to nothing where there is no probe, or no node yet', () => {
    const bare = { metadata: { name: 'a', namespace: 'b', uid: 'c' }, spec: { nodeName: 'node-a' } };
    expect(projectAgentPod(bare).probed).toBeUndefined();
    expect(pod({ spec: { nodeName: undefined } }).probed).toBeUndefined();
  });

  it('is never guessed', () => {
    for (const object of [{}, { metadata: {} }, { metadata: { name: 'a', namespace: 'b' } }]) {
      expect(() => projectAgentPod(object)).toThrow(TypeError);
    }
  });

  const leaving = [
    { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } },
    { status: { phase: 'Succeeded' } },
    { status: { phase: 'Failed' } },
  ];
  it.each(leaving)('says that it leaves: %j', (change) => {
    expect(pod(change).probed?.leaving).toBe(true);
  });

  const stopped = [
    { state: { waiting: {} } },
    { state: { terminated: { exitCode: 1 } } },
    {},
    { state: running, started: false },
  ];
  it.each(stopped)('has no life of a container that does not run, or has not started: %j', (container) => {
    expect(pod({ status: status(container) }).probed?.running.size).toBe(0);
  });

  it('tells the lives of a container apart, by each of the things that change', () => {
    const first = { containerID: 'c1', restartCount: 0, state: running };
    const lives = [
      first,
      { ...first, containerID: 'c2' },
      { ...first, restartCount: 1 },
      { ...first, state: { running: { startedAt: '2026-01-02T00:00:00Z' } } },
    ];
    const ids = lives.map((life) => idOf(pod({ status: status(life) })));
    expect(new Set(ids).size).toBe(4);
    expect(idOf(pod({ status: status(first) }))).toBe(ids[0]);
  });
});

const tally = (disruptable: boolean | undefined, output = ''): ProbeTally => ({
  disruptable,
  last: disruptable,
  inARow: 1,
  output,
});
const finding = (container: string, found: ProbeTally | undefined, overdue = false) => ({
  container,
  tally: found,
  overdue,
});

describe('[I4] a pod is disruptable only when all its probes say so', () => {
  const yes = tally(true);
  const table = [
    { name: 'all of them say yes', findings: [finding('a', yes), finding('b', yes)], reason: 'ProbeSucceeded' },
    { name: 'one says no', findings: [finding('a', yes), finding('b', tally(false, 'x'))], reason: 'ProbeFailing' },
    {
      name: 'one says nothing yet',
      findings: [finding('a', yes), finding('b', tally(undefined))],
      reason: 'ProbePending',
    },
    { name: 'one does not run', findings: [finding('a', yes), finding('b', undefined)], reason: 'ContainerNotRunning' },
    {
      name: 'one was asked too long ago',
      findings: [finding('a', yes), finding('b', yes, true)],
      reason: 'ProbeOverdue',
    },
  ];
  it.each(table)('$name: $reason', ({ findings, reason }) => {
    expect(verdictOf(findings)).toMatchObject({ disruptable: reason === 'ProbeSucceeded', reason });
  });

  const unfit = [
    { name: 'a probe that is no JSON', text: '{', reason: 'ProbeInvalid' },
    { name: 'a probe without a handler', text: '{"periodSeconds": 5}', reason: 'ProbeInvalid' },
    { name: 'an empty list', text: '[]', reason: 'ProbeInvalid' },
    { name: 'a container that is not there', text: '{"db": {"tcpSocket": {"port": 1}}}', reason: 'ProbeInvalid' },
    { name: 'a command, which may not be run', text: '{"exec": {"command": ["x"]}}', reason: 'ExecNotAllowed' },
    { name: '[A4] another host', text: '{"tcpSocket": {"port": 1, "host": "db"}}', reason: 'HostNotAllowed' },
    { name: '[A4] another host for HTTP', text: '{"httpGet": {"port": 1, "host": "db"}}', reason: 'HostNotAllowed' },
  ];
  it.each(unfit)('$name: it is not', ({ text, reason }) => {
    const { probed } = pod({ annotations: { 'holdfast.dev/disruption-probe': text } });
    expect(probed && refusalToProbe(probed, 'shop', { execNamespaces: ['other'], hosts: [] })).toMatchObject({
      disruptable: false,
      reason,
    });
    expect(probed && refusalToProbe(probed, 'shop', { execNamespaces: ['shop'], hosts: ['db'] })?.reason).toBe(
      reason === 'ProbeInvalid' ? reason : undefined,
    );
  });

  it('says why in at most 1 KiB', () => {
    expect(verdictOf([finding('a', tally(false, 'x'.repeat(5_000)))]).message).toHaveLength(1_024);
  });
});

describe('a condition is written only when it says something new', () => {
  const before = '2026-01-01T00:00:00Z';
  const now = Date.UTC(2026, 0, 2);
  const failing = { disruptable: false, reason: 'ProbeFailing', message: 'HTTP status 503' } as const;
  const fine = { disruptable: true, reason: 'ProbeSucceeded', message: 'fine' } as const;
  const pending = { disruptable: false, reason: 'ProbePending', message: 'wait' } as const;
  const present = (text: 'True' | 'False', reason: string, message: string) => ({
    status: text,
    reason,
    message,
    lastTransitionTime: before,
  });
  const plan = (change: Pick<ProbedPodState, 'verdict' | 'present'> & { decided?: boolean }) =>
    planCondition({ metadata: pod().metadata, node: 'node-a', decided: true, ...change }, now);

  it('the first time', () => {
    expect(plan({ verdict: failing, present: undefined })).toEqual({
      type: 'Disruptable',
      status: 'False',
      reason: 'ProbeFailing',
      message: 'HTTP status 503',
      lastTransitionTime: '2026-01-02T00:00:00Z',
    });
  });

  it('not when it stands there already, nor when only the output of a failure is another one', () => {
    expect(plan({ verdict: fine, present: present('True', 'ProbeSucceeded', 'fine') })).toBeUndefined();
    expect(plan({ verdict: failing, present: present('False', 'ProbeFailing', 'HTTP status 500') })).toBeUndefined();
  });

  it('with a new time only when its status is another one', () => {
    const changed = plan({ verdict: fine, present: present('False', 'ProbeFailing', 'x') });
    expect(changed).toMatchObject({ status: 'True', lastTransitionTime: '2026-01-02T00:00:00Z' });
    const explained = plan({ verdict: failing, present: present('False', 'ProbePending', 'wait') });
    expect(explained).toMatchObject({ reason: 'ProbeFailing', lastTransitionTime: before });
  });

  it('over what another client wrote there', () => {
    expect(plan({ verdict: failing, present: present('True', 'ByHand', 'x') })).toMatchObject({ status: 'False' });
    expect(plan({ verdict: fine, present: present('True', 'ByHand', 'x') })).toMatchObject({
      reason: 'ProbeSucceeded',
    });
  });

  it('not before this agent found out something itself', () => {
    const last = present('True', 'ProbeSucceeded', 'fine');
    expect(plan({ verdict: pending, present: last, decided: false })).toBeUndefined();
    expect(plan({ verdict: pending, present: last })).toMatchObject({ status: 'False', reason: 'ProbePending' });
    expect(plan({ verdict: pending, present: undefined, decided: false })).toMatchObject({ status: 'False' });
  });
});
