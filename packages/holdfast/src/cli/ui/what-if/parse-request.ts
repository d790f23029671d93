import { isObject } from '@holdfast/base/json';
import type { WhatIfRequest } from '../../../ui/what-if.ts';

export type ParsedRequest =
  | { readonly ok: true; readonly request: WhatIfRequest }
  | { readonly ok: false; readonly why: string };

const maxNodes = 5_000;
/** A name of Kubernetes has 253 characters at most. */
const maxName = 253;
/** Some hundred edited budgets. */
const maxChanges = 512 * 1024;
const maxNodeSeconds = 86_400;
const maxSeed = 0xffff_ffff;

/** Checks what a page, or a program, asks for. What it does not name is left out. */
export function parseWhatIf(value: unknown): ParsedRequest {
  if (!isObject(value)) return wrong('the request must be an object');
  const what = whatOf(value['what']);
  if (typeof what === 'string') return wrong(what);
  const { changes, nodeSeconds, seed } = value;
  if (changes !== undefined && (typeof changes !== 'string' || changes.length > maxChanges)) {
    return wrong(`changes must be text of at most ${maxChanges / 1024} KiB`);
  }
  if (nodeSeconds !== undefined && !isWhole(nodeSeconds, maxNodeSeconds)) {
    return wrong(`nodeSeconds must be a whole number from 0 to ${maxNodeSeconds}`);
  }
  if (seed !== undefined && !isWhole(seed, maxSeed)) return wrong(`seed must be a whole number from 0 to ${maxSeed}`);
  const isChanged = typeof changes === 'string' && changes.trim() !== '';
  return {
    ok: true,
    request: {
      what,
      ...(isChanged ? { changes } : {}),
      ...(nodeSeconds === undefined ? {} : { nodeSeconds: Number(nodeSeconds) }),
      ...(seed === undefined ? {} : { seed: Number(seed) }),
    },
  };
}

/** A text says what is wrong. */
function whatOf(value: unknown): WhatIfRequest['what'] | string {
  if (!isObject(value)) return 'what must be an object with a kind';
  const { kind, nodes, zone, maxUnavailable } = value;
  switch (kind) {
    case 'drain':
      return isNames(nodes) && nodes.length > 0 ? { kind, nodes: [...new Set(nodes)] } : 'nodes must be names of nodes';
    case 'zone':
      return isName(zone) ? { kind, zone } : 'zone must be the name of a zone';
    case 'upgrade':
      if (maxUnavailable === undefined) return { kind };
      return isShare(maxUnavailable) ? { kind, maxUnavailable } : 'maxUnavailable must be like "2" or "25%"';
    case 'plan':
      if (nodes === undefined) return { kind };
      return isNames(nodes) && nodes.length > 0 ? { kind, nodes: [...new Set(nodes)] } : 'nodes must be names of nodes';
    default:
      return 'what.kind must be drain, zone, upgrade or plan';
  }
}

export interface NodeShare {
  readonly count: number;
  readonly percent: boolean;
}

/** `2` or `25%`; the text was checked. */
export function nodeShareOf(text: string): NodeShare {
  const percent = text.endsWith('%');
  return { count: Number(percent ? text.slice(0, -1) : text), percent };
}

function isShare(value: unknown): value is string {
  if (typeof value !== 'string' || !/^[1-9]\d{0,4}%?$/.test(value)) return false;
  return !value.endsWith('%') || nodeShareOf(value).count <= 100;
}

function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length <= maxNodes && value.every(isName);
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= maxName;
}

function isWhole(value: unknown, most: number): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= most;
}

function wrong(why: string): ParsedRequest {
  return { ok: false, why };
}
