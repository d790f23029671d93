import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { PageTitle } from '../../parts/page-title.tsx';
import { change } from './draft.ts';
import { Form } from './form.tsx';
import { Outcome } from './outcome.tsx';

export function WhatIf({ nodes }: { readonly nodes: readonly string[] }): JSX.Element {
  const asked = nodes.join('\n');
  useEffect(() => {
    if (asked !== '') change({ kind: 'drain', nodes: new Set(asked.split('\n')) });
  }, [asked]);
  return (
    <>
      <header class="summary">
        <PageTitle title="What if" />
        <p class="dim">
          Plans and simulates on a copy of the cluster, in the process of holdfast ui. Nothing reaches the cluster.
        </p>
      </header>
      <Form />
      <Outcome />
    </>
  );
}
