import { describe, expect, it } from 'vitest';
import { aLedger, aPod, ns } from '../../../../../test/support/builders.ts';
import type { KubeClient } from '../../../src/kube/client/client.ts';
import { type Failure, failed, type Outcome, succeeded } from '../../../src/kube/outcome/failure.ts';
import { kubeLedgerStore } from '../../../src/operator/admission/ledger.ts';
import { kubePodReader } from '../../../src/operator/admission/verify.ts';

const { signal } = new AbortController();

/** A client that answers everything alike, and writes down what it was asked. */
function aClient(answer: Outcome<unknown>) {
  const calls: unknown[] = [];
  const reply =
    (verb: string) =>
    (...given: readonly unknown[]) => {
      calls.push([verb, ...given]);
      return Promise.resolve(answer);
    };
  const verbs = ['get', 'getMetadata', 'create', 'replace'] as const;
  const client = Object.fromEntries(verbs.map((verb) => [verb, reply(verb)]));
  return { calls, client: client as unknown as Pick<KubeClient, (typeof verbs)[number]> };
}

const stored = aLedger([], undefined, '7');
const resource = { group: 'holdfast.dev', version: 'v1alpha1', plural: 'disruptionledgers', namespaced: true };
const retry: Failure = {
  kind: 'retry',
  cause: 'connection',
  message: 'reset',
  retryAfterMs: undefined,
  maybeDone: true,
};
const nameless = { kind: 'failed', message: 'an object without a resourceVersion' };

describe('ledgers in the API server', () => {
  const answers: readonly { answer: Outcome<unknown>; read: object; write: object }[] = [
    { answer: succeeded(stored), read: { kind: 'found', ledger: stored }, write: { kind: 'stored', ledger: stored } },
    { answer: succeeded({ metadata: {} }), read: nameless, write: nameless },
    { answer: succeeded({}), read: nameless, write: nameless },
    { answer: failed({ kind: 'notFound', message: 'no' }), read: { kind: 'missing' }, write: { kind: 'missing' } },
    {
      answer: failed({ kind: 'conflict', message: 'no' }),
      read: { kind: 'failed', message: 'no' },
      write: { kind: 'conflict' },
    },
    {
      answer: failed({ kind: 'alreadyExists', message: 'no' }),
      read: { kind: 'failed', message: 'no' },
      write: { kind: 'conflict' },
    },
    {
      answer: failed(retry),
      read: { kind: 'failed', message: 'reset' },
      write: { kind: 'failed', message: 'reset' },
    },
  ];
  it.each(answers)('are read and written: $answer gives $write.kind', async ({ answer, read, write }) => {
    const store = kubeLedgerStore(aClient(answer).client);
    expect(await store.read(ns, signal)).toEqual(read);
    expect(await store.create(aLedger(), signal)).toEqual(write);
    expect(await store.replace(aLedger(), signal)).toEqual(write);
  });

  it('are named and typed', async () => {
    const { client, calls } = aClient(succeeded(stored));
    const store = kubeLedgerStore(client);
    const typed = { apiVersion: 'holdfast.dev/v1alpha1', kind: 'DisruptionLedger', ...stored };
    await store.read(ns, signal);
    await store.create(stored, signal);
    await store.replace(stored, signal);
    expect(calls).toEqual([
      ['get', resource, { namespace: ns, name: 'default' }, { signal }],
      ['create', resource, { namespace: ns }, typed, { signal }],
      ['replace', resource, { namespace: ns, name: 'default' }, typed, { signal }],
    ]);
  });

  it('are never overwritten without a version to compare', async () => {
    const { client, calls } = aClient(succeeded(stored));
    const outcome = await kubeLedgerStore(client).replace({ metadata: { name: 'default', namespace: ns } }, signal);
    expect(outcome).toEqual(nameless);
    expect(calls).toEqual([]);
  });
});

describe('a pod in the API server', () => {
  it.each([
    { answer: succeeded(aPod('web-0').build()), reading: { kind: 'found', uid: 'uid-web-0', resourceVersion: '10' } },
    { answer: succeeded({ metadata: { name: 'web-0' } }), reading: nameless },
    { answer: failed({ kind: 'notFound', message: 'no' }), reading: { kind: 'missing' } },
    { answer: failed(retry), reading: { kind: 'failed', message: 'reset' } },
  ])('is read: $reading.kind', async ({ answer, reading }) => {
    const { client, calls } = aClient(answer);
    expect(await kubePodReader(client).read(ns, 'web-0', signal)).toEqual(reading);
    expect(calls).toMatchObject([
      ['getMetadata', { group: '', plural: 'pods' }, { namespace: ns, name: 'web-0' }, { signal }],
    ]);
  });
});
