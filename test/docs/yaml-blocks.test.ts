import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';

interface Written {
  readonly kind?: string;
  readonly metadata?: { readonly name?: string; readonly namespace?: string; readonly annotations?: object };
  readonly spec?: object;
}

const pages = ['docs/tutorial', 'docs/guides'].flatMap((folder) =>
  readdirSync(folder).map((file) => join(folder, file)),
);

function parsed(text: string, where: string): readonly Written[] {
  return parseAllDocuments(text).map((document) => {
    expect(document.errors, where).toEqual([]);
    return document.toJS() as Written;
  });
}

/** Every object of the `yaml` blocks of a page; a block that is no YAML fails. */
function objectsOf(page: string): readonly Written[] {
  const blocks = readFileSync(page, 'utf8').matchAll(/^( *)```yaml\n(.*?)^ *```$/gms);
  return [...blocks].flatMap(([, indent = '', text = '']) =>
    parsed(text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''), page),
  );
}

const keyOf = ({ kind, metadata }: Written) => `${kind} ${metadata?.namespace}/${metadata?.name}`;
const isBudget = ({ kind, metadata, spec }: Written) =>
  (kind === 'PodDisruptionBudget' || kind === 'PodUnavailableBudget') &&
  metadata?.namespace !== undefined &&
  spec !== undefined;

const examples = new Map(
  readdirSync('examples')
    // Written to be applied over another example.
    .filter((file) => file !== 'llm-serving-per-pod.yaml')
    .flatMap((file) => parsed(readFileSync(join('examples', file), 'utf8'), file))
    .map((one) => [keyOf(one), one]),
);

describe('YAML of the tutorial and the guides', () => {
  it.each(pages.map((page) => ({ page })))('$page: budgets are those of the examples', ({ page }) => {
    for (const budget of objectsOf(page).filter(isBudget)) {
      const example = examples.get(keyOf(budget));
      expect({ annotations: budget.metadata?.annotations, spec: budget.spec }, keyOf(budget)).toEqual({
        annotations: example?.metadata?.annotations,
        spec: example?.spec,
      });
    }
  });

  it('is compared at all', () => {
    expect(pages.flatMap(objectsOf).filter(isBudget).length).toBeGreaterThan(6);
  });
});
