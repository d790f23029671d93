import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inBed, layOut, onNode, type RealNode } from './layout.ts';

/** What other processes need to know to act within a test bed with real nodes. */
export interface BedState {
  readonly folder: string;
  readonly cgroup: string;
  /** Of the first process in its namespaces, as the rest of the machine knows it. */
  readonly initPid: number;
  readonly nodes: number;
  /** Of `ctr`. */
  readonly ctr: string;
}

export interface CommandResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** The namespaces of a test bed with real nodes, from the rest of the machine. */
export class BedAccess {
  readonly state: BedState;
  readonly nodes: readonly RealNode[];

  constructor(state: BedState) {
    this.state = state;
    this.nodes = layOut(state.folder, state.nodes);
  }

  node(name: string): RealNode {
    const found = this.nodes.find((one) => one.name === name);
    if (found === undefined) throw new Error(`the test bed has no node ${name}`);
    return found;
  }

  /** Beside the control plane. */
  run(command: readonly string[], input?: Buffer): Promise<CommandResult> {
    return execute(inBed(this.state.initPid, command), input);
  }

  runOn(node: string, command: readonly string[]): Promise<CommandResult> {
    return this.run(onNode(this.node(node), command));
  }

  /** Fails with what the command said. */
  async must(command: readonly string[]): Promise<string> {
    const { code, out, err } = await this.run(command);
    if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}: ${err}${out}`);
    return out;
  }

  /** What the keeper started by this name, as a number in the test bed's own namespace. */
  async kill(program: string, signal: 'KILL' | 'STOP' | 'CONT' | 'TERM'): Promise<void> {
    const pid = readFileSync(join(this.state.folder, `${program}.pid`), 'utf8').trim();
    await this.must(['kill', `-${signal}`, pid]);
  }

  /** No packet reaches the node any more, nor leaves it. Its pods among themselves are not affected. */
  async cutOff(node: string): Promise<void> {
    await this.must(['ip', 'link', 'set', node, 'down']);
  }

  async heal(node: string): Promise<void> {
    await this.must(['ip', 'link', 'set', node, 'up']);
  }

  async importImage(node: string, archive: string, names: readonly string[] = []): Promise<void> {
    const ctr = [this.state.ctr, '--namespace', 'k8s.io', 'images'];
    await this.must(onNode(this.node(node), [...ctr, 'import', '--local', archive]));
    for (const name of names) {
      const [from = '', to = ''] = name.split('=');
      await this.must(onNode(this.node(node), [...ctr, 'tag', '--force', from, to]));
    }
  }
}

function execute(command: readonly string[], input?: Buffer): Promise<CommandResult> {
  const [path = '', ...args] = command;
  return new Promise((resolve) => {
    const child = execFile(path, args, { timeout: 120_000, maxBuffer: 64 << 20 }, (error, out, err) => {
      resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : 1, out, err });
    });
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });
}
