import { Parts } from '../cluster/parts.ts';
import { flip, flipping, startingUp } from './big-cluster.ts';
import { reservations } from './reservations.ts';
import { openStage } from './stage.ts';
import { verdicts } from './verdicts.ts';

/** The operator as a process of its own, in a big cluster that is made up: how it starts, follows, answers and reserves. */
export async function webhookSuite(): Promise<string> {
  const parts = new Parts(new URL('.', import.meta.url), ['api', 'operator', 'load', 'bare']);
  try {
    await parts.bundle();
    const opening = await openStage(parts);
    const { stage } = opening;
    const starting = await startingUp(opening);
    const down = await flip(stage, false);
    const answering = await verdicts(stage);
    const up = await flip(stage, true);
    const reserving = await reservations(stage);
    const sections = [
      ['Starting in a big cluster', starting],
      [
        'Following 1,000 pods that change at once',
        flipping([
          ['become unready', down],
          ['become ready again', up],
        ]),
      ],
      ['Verdicts without a reservation', answering],
      ['Verdicts with a reservation', reserving],
    ] as const;
    return `${sections.map(([title, text]) => `## ${title}\n\n${text}`).join('\n\n')}\n`;
  } finally {
    parts.close();
  }
}
