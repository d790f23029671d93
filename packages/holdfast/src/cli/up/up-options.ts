import { Command, InvalidArgumentError } from 'commander';
import { repeated } from '../agent/agent-options.ts';

export interface UpOptions {
  readonly nodes?: number;
  readonly port: number;
  readonly data?: string;
  readonly kubeconfig: string;
  readonly empty: boolean;
  readonly operator: boolean;
  readonly load: readonly string[];
  readonly speed: number;
  /** Where the agent runs the commands of exec probes; `*`: everywhere. */
  readonly execNamespace: readonly string[];
  /** Serve the page of `holdfast ui`, too. */
  readonly ui: boolean;
  readonly uiPort: number;
}

/** As many as one process can simulate in comfort. */
const maxNodes = 1000;
const maxPort = 65_535;
const speeds = { least: 0.1, most: 100 };

/** Not that of other clusters, which may run on the same machine. */
const defaultPort = 7443;
export const defaultNodes = 6;
const defaultUiPort = 7480;

export function defineUpCommand(run: (options: UpOptions) => Promise<void>): Command {
  return new Command('up')
    .description(
      'run a Kubernetes-compatible cluster with simulated nodes in this process, for kubectl and other clients',
    )
    .option(
      '--nodes <n>',
      `simulated nodes, in three zones (default: ${defaultNodes}, or those of --load)`,
      wholeUpTo(maxNodes),
    )
    .option('--port <port>', 'port on 127.0.0.1 for the API; 0: any free one', wholeUpTo(maxPort), defaultPort)
    .option('--data <dir>', 'keep the cluster in this directory across restarts (default: in memory only)')
    .option(
      '--kubeconfig <file>',
      'where to write the kubeconfig; a file that holdfast did not write is never touched',
      '.holdfast/kubeconfig',
    )
    .option('--empty', 'start without the demo workloads')
    .option('--no-operator', 'start without operator and agent: only Kubernetes enforces budgets')
    .option('--no-ui', 'do not serve the page of `holdfast ui`')
    .option(
      '--ui-port <port>',
      'port on 127.0.0.1 for the page; if it is in use, any free one; 0: any free one',
      wholeUpTo(maxPort),
      defaultUiPort,
    )
    .option(
      '--load <file...>',
      'start from a snapshot of another cluster instead of the demo: objects as `kubectl get ... -o json` (or yaml) prints them',
    )
    .option('--speed <x>', 'speed-up factor for pod start, stop and probes', speed, 1)
    .option(
      '--exec-namespace <name>',
      'let the agent run the commands of exec disruption probes in this namespace; may be repeated, * for all (default: none)',
      repeated,
    )
    .addHelpText(
      'after',
      '\nRuns until Ctrl-C. Exit codes: 0 stopped; 2 could not start, for example because the port or the data directory is in use.',
    )
    .action((given: Omit<UpOptions, 'empty' | 'load' | 'execNamespace'>) =>
      run({ empty: false, load: [], execNamespace: [], ...given }),
    );
}

function wholeUpTo(most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^[0-9]+$/.test(text) || value > most)
      throw new InvalidArgumentError(`must be a whole number from 0 to ${most}.`);
    return value;
  };
}

function speed(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= speeds.least && value <= speeds.most)) {
    throw new InvalidArgumentError(`must be a number from ${speeds.least} to ${speeds.most}.`);
  }
  return value;
}
