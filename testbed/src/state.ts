import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { contextName } from './credentials.ts';
import { testbedFolder } from './modules.ts';
import type { BedState } from './nodes/bed-access.ts';

/** A test bed that `up` keeps running. There is one of them for a checkout. */
export interface State {
  /** Of `up`. */
  readonly pid: number;
  readonly folder: string;
  readonly kubeconfig: string;
  readonly auditLog: string;
  readonly kubectl: string;
  /** Where nodes are real. */
  readonly bed?: BedState;
}

const statePath = join(testbedFolder, '..', '.holdfast', 'testbed.json');
export const detachedLogPath = join(testbedFolder, '..', '.holdfast', 'testbed.log');

export function saveState(state: State): void {
  mkdirSync(dirname(statePath), { recursive: true });
  writeFileSync(statePath, JSON.stringify(state));
}

export function forgetState(): void {
  rmSync(statePath, { force: true });
}

/** The one that runs. Its folder goes when it ends, however it ends, so a process that only got its number is not taken for it. */
export function readState(): State | undefined {
  if (!existsSync(statePath)) return undefined;
  const state = JSON.parse(readFileSync(statePath, 'utf8')) as State;
  return existsSync(state.kubeconfig) && isRunning(state.pid) ? state : undefined;
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** What tests and kubectl are told of a test bed. */
export function environmentOf(state: Pick<State, 'kubeconfig' | 'auditLog' | 'bed'>): Record<string, string> {
  const { kubeconfig, auditLog, bed } = state;
  return {
    KUBECONFIG: kubeconfig,
    HOLDFAST_TEST_CONTEXT: contextName,
    HOLDFAST_TEST_AUDIT_LOG: auditLog,
    ...(bed === undefined ? {} : { HOLDFAST_TEST_BED: JSON.stringify(bed) }),
  };
}
