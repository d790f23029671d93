import type { JSX } from 'preact';
import { Announcer } from './frame/announcer.tsx';
import { Banner } from './frame/banner.tsx';
import { TopBar } from './frame/top-bar.tsx';
import { route } from './navigation.ts';
import { hashOf, type Route } from './routes.ts';
import { BudgetView } from './views/detail/budget-view.tsx';
import { NodeView } from './views/detail/node-view.tsx';
import { PodView } from './views/detail/pod-view.tsx';
import { Drains } from './views/drains/drains.tsx';
import { Overview } from './views/overview/overview.tsx';
import { UnknownView } from './views/unknown-view.tsx';
import { WhatIf } from './views/what-if/what-if.tsx';

export function App(): JSX.Element {
  const { value } = route;
  return (
    <>
      {/* Not a link: the hash is the address of the view. */}
      <button type="button" class="skip" onClick={() => document.getElementById('content')?.focus()}>
        Skip to content
      </button>
      <TopBar view={value.view} />
      <Banner />
      {/* Another node, budget or pod is another page: nothing of the one before may stay in it. */}
      <main id="content" tabIndex={-1} key={keyOf(value)}>
        <View route={value} />
      </main>
      <Announcer />
    </>
  );
}

function keyOf(shown: Route): string {
  return shown.view === 'whatIf' ? 'whatIf' : hashOf(shown);
}

function View({ route: shown }: { readonly route: Route }): JSX.Element {
  switch (shown.view) {
    case 'overview':
      return <Overview />;
    case 'node':
      return <NodeView name={shown.name} />;
    case 'budget':
      return <BudgetView kind={shown.kind} namespace={shown.namespace} name={shown.name} />;
    case 'pod':
      return <PodView namespace={shown.namespace} name={shown.name} />;
    case 'drains':
      return <Drains />;
    case 'whatIf':
      return <WhatIf nodes={shown.nodes} />;
    case 'unknown':
      return <UnknownView />;
  }
}
