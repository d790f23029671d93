import type { JSX } from 'preact';
import { PageTitle } from '../parts/page-title.tsx';

export function UnknownView(): JSX.Element {
  return (
    <>
      <PageTitle title="No such page" />
      <p>
        This address names no page. <a href="#/">Go to the overview</a>.
      </p>
    </>
  );
}
