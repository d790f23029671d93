import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { manifestsOf } from '../../packages/holdfast/src/install/manifests/manifests.ts';
import { renderManifests } from '../../packages/holdfast/src/install/manifests/render.ts';
import { defaultInstallValues } from '../../packages/holdfast/src/install/values/values.ts';

const base = 'deploy/kustomize';
const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0;
if (!hasKubectl) process.stderr.write('there is no kubectl on PATH: the kustomize base is not tried\n');

const overlay = mkdtempSync(join(tmpdir(), 'holdfast-overlay-'));
afterAll(() => rmSync(overlay, { recursive: true, force: true }));

interface Named {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/** By kind and name: kustomize orders objects in its own way. */
function objectsIn(text: string): ReadonlyMap<string, unknown> {
  const objects = parseAllDocuments(text, { version: '1.1' }).map((one) => one.toJS() as Named);
  return new Map(
    objects.map((one) => [[one.kind, one.metadata.namespace ?? '', one.metadata.name].join(' '), one] as const),
  );
}

function kustomize(folder: string): string {
  const { status, stdout, stderr } = spawnSync('kubectl', ['kustomize', folder], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout;
}

const { webhook } = defaultInstallValues;
const manifests = manifestsOf({ ...defaultInstallValues, webhook: { ...webhook, registeredBy: 'operator' } });

describe.runIf(hasKubectl)('the kustomize base', () => {
  it('renders what holdfast install prints, for a tool that applies everything at once', () => {
    expect(objectsIn(kustomize(base))).toEqual(objectsIn(renderManifests(manifests)));
  });

  it('takes another image', () => {
    const path = relative(overlay, base);
    const images = [{ name: 'holdfast', newName: 'registry.example/holdfast', newTag: '9' }];
    writeFileSync(join(overlay, 'kustomization.yaml'), JSON.stringify({ resources: [path], images }));
    const text = kustomize(overlay);
    expect(text.match(/image: .*/g)).toEqual(Array(2).fill('image: registry.example/holdfast:9'));
    expect(readFileSync(`${base}/holdfast.yaml`, 'utf8')).toContain(`image: ${defaultInstallValues.image}`);
  });
});
