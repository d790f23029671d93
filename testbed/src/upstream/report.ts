/** What came of a spec. `unfinished`: it was still running when its slice had had its time, or did not get its turn. */
export type Outcome = 'passed' | 'failed' | 'skipped' | 'unfinished';

export interface SpecReport {
  readonly name: string;
  readonly outcome: Outcome;
  /** The first line of what it says about its failure. */
  readonly message?: string;
}

interface GinkgoReport {
  readonly SpecReports: readonly GinkgoSpec[] | null;
}

interface GinkgoSpec {
  readonly ContainerHierarchyTexts: readonly string[] | null;
  readonly LeafNodeType: string;
  readonly LeafNodeText: string;
  readonly State: string;
  readonly Failure?: { readonly Message?: string };
}

const outcomes: Readonly<Record<string, Outcome>> = {
  passed: 'passed',
  failed: 'failed',
  panicked: 'failed',
  skipped: 'skipped',
  pending: 'skipped',
};

/** Every spec that a JSON report of Ginkgo names, by its whole name. */
export function readReport(json: string): SpecReport[] {
  const suites = JSON.parse(json) as readonly GinkgoReport[];
  return suites
    .flatMap(({ SpecReports }) => SpecReports ?? [])
    .filter(({ LeafNodeType }) => LeafNodeType === 'It')
    .map(specReport);
}

function specReport({ ContainerHierarchyTexts, LeafNodeText, State, Failure }: GinkgoSpec): SpecReport {
  const name = [...(ContainerHierarchyTexts ?? []), LeafNodeText].join(' ');
  const message = firstLine(Failure?.Message ?? '');
  return { name, outcome: outcomes[State] ?? 'unfinished', ...(message === '' ? {} : { message }) };
}

/** Messages are kept for people who look for the cause; whole ones would be pages. */
const messageLimit = 300;

function firstLine(text: string): string {
  const line = text.trim().split('\n')[0] ?? '';
  return line.replace(absoluteFolder, '$1').slice(0, messageLimit);
}

/** Where programs and files lie on the machine that ran it says nothing, and differs everywhere. */
const absoluteFolder = /(^|[\s=])(?:\/[\w.@+-]+)+\//g;
