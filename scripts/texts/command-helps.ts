import { commands } from '../../packages/holdfast/src/cli/commands.ts';

export interface CommandHelp {
  readonly name: string;
  readonly description: string;
  readonly help: string;
}

/** As in a terminal of this width. */
const columns = 100;

export async function commandHelps(): Promise<readonly CommandHelp[]> {
  return Promise.all(
    Object.entries(commands).map(async ([name, { description, load }]) => {
      const command = await load();
      command.configureOutput({ getOutHelpWidth: () => columns, getOutHasColors: () => false });
      return { name, description, help: command.helpInformation().trimEnd() };
    }),
  );
}
