import { isObject } from '@holdfast/base/json';
import type { DrainPlan } from '../../core/plan/plan-result.ts';
import { Problem } from '../../observe/problem.ts';
import { readManifestText } from '../load-objects.ts';

const kind = 'DrainPlan';
/** Raised when a program that reads the old form would misread the new one. */
const schemaVersion = 1;

/** A plan as programs read it, and as `drain --plan` and `simulate -- plan` take it. */
export function planDocument(plan: DrainPlan): object {
  return { kind, schemaVersion, ...plan };
}

/** What of a plan is carried out. */
export interface PlanFile {
  readonly waves: readonly (readonly FileNode[])[];
  /** Nodes that the plan leaves out. */
  readonly never: readonly string[];
}

export interface FileNode {
  readonly name: string;
  readonly pods: number;
  /** Its replacement has to be there before it is drained. */
  readonly surge: boolean;
}

export function readPlanFile(file: string): PlanFile {
  let text: string;
  try {
    text = readManifestText(file);
  } catch (error) {
    throw new Problem(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  return planIn(text, file);
}

export function planIn(text: string, file: string): PlanFile {
  const bad = (why: string) => new Problem(`${file}: ${why}`, 'Make one with: holdfast plan ... -o json > plan.json');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw bad('is not JSON');
  }
  if (!isObject(value) || value['kind'] !== kind) throw bad(`is not a plan: its kind is not ${kind}`);
  if (value['schemaVersion'] !== schemaVersion) {
    throw bad(
      `has schemaVersion ${JSON.stringify(value['schemaVersion'])}; this version of holdfast reads ${schemaVersion}`,
    );
  }
  const { waves, never } = value;
  if (!Array.isArray(waves)) throw bad('has no waves');
  if (waves.length === 0) throw bad('has no waves: there is nothing to drain');
  const read = waves.map(
    (wave, index) => nodesOf(wave) ?? problem(bad(`waves[${index}].nodes is not a list of nodes with names`)),
  );
  const names = read.flat().map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw bad(`names node ${twice} twice`);
  const left = Array.isArray(never) ? never.flatMap((one) => (isObject(one) ? [String(one['node'])] : [])) : [];
  return { waves: read, never: left };
}

function problem(error: Problem): never {
  throw error;
}

function nodesOf(wave: unknown): readonly FileNode[] | undefined {
  const nodes = isObject(wave) ? wave['nodes'] : undefined;
  if (!Array.isArray(nodes) || nodes.length === 0) return undefined;
  const read = nodes.map((node: unknown) => {
    if (!isObject(node) || typeof node['name'] !== 'string' || node['name'] === '') return undefined;
    const pods = typeof node['pods'] === 'number' ? node['pods'] : 0;
    return { name: node['name'], pods, surge: node['surge'] === true };
  });
  return read.every((one) => one !== undefined) ? read : undefined;
}
