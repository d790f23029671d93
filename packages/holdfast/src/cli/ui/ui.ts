import { Command, InvalidArgumentError, Option } from 'commander';
import { type LiveFlags, withLiveFlags } from '../live/flags.ts';
import { StopRequest } from '../stop-request.ts';
import type { RunningUi } from './open-ui.ts';

interface Options extends LiveFlags {
  readonly port: number;
  readonly namespace?: string;
  readonly jsonApi?: boolean;
}

export const uiDescription =
  'show nodes, budgets, drains and what a drain would do in a browser: a local, read-only page with your own rights';

/** Any free port: the address is printed. */
const defaultPort = 0;
const maxPort = 65_535;

export function uiCommand(): Command {
  const command = new Command('ui')
    .description(uiDescription)
    .addOption(
      new Option('--port <port>', 'port on 127.0.0.1; 0: any free one')
        .argParser(portOf)
        .default(defaultPort, 'any free one'),
    )
    .option('-n, --namespace <name>', 'only this namespace (default: all)')
    .option('--json-api', 'serve only the JSON API, and print its address and token as JSON');
  return withLiveFlags(command)
    .addHelpText(
      'after',
      `
It only reads, with your own rights, as kubectl proxy would, and needs no operator. Nothing is installed in the cluster, and the
page loads nothing from elsewhere. Open the printed address: its token becomes a cookie of your browser. Other users of the machine
and other web sites cannot use the server without that token.

What you may not read is said on the page. When the API server cannot be reached, the page says since when, and goes on by itself
when it is back.

Examples:
  holdfast ui                            all namespaces of the cluster of your kubeconfig
  holdfast ui -n shop --port 8765        one namespace, where you may not read others
  holdfast ui --json-api                 for programs: docs/guides/ui.md describes the API

Runs until Ctrl-C. Exit codes: 0 stopped; 2 it could not start.`,
    )
    .action((options: Options) => run(options));
}

async function run(options: Options): Promise<void> {
  const { openUi } = await import('./open-ui.ts');
  const stop = new StopRequest();
  try {
    const report = (problem: string) => void process.stderr.write(`warning: ${problem.trimEnd()}\n`);
    const ui = await openUi({ ...options, report });
    try {
      show(ui, options);
      await stop.requested;
    } finally {
      await ui.close();
    }
  } finally {
    stop.close();
  }
}

function show({ server, fleet }: RunningUi, { jsonApi }: Options): void {
  if (jsonApi === true) {
    const { port, token } = server;
    process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}`, token })}\n`);
    return;
  }
  const { server: cluster } = fleet.publisher.model.head.cluster;
  process.stdout.write(`${cluster} is shown at\n\n  ${server.address}\n\nCtrl-C ends it.\n`);
  if (server.pageMissing) process.stderr.write(`warning: ${missingPage}\n`);
}

export const missingPage = 'the page is not built (dist/dashboard is missing): run npm run build; the JSON API works';

function portOf(text: string): number {
  const value = Number(text);
  if (!/^\d{1,5}$/.test(text) || value > maxPort)
    throw new InvalidArgumentError(`must be a number from 0 to ${maxPort}.`);
  return value;
}
