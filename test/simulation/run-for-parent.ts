// A process of `run.ts`: gets seeds, and answers with what became of them.
import { runSchedule } from './schedule.ts';

process.on('message', (seed: number) => {
  void runSchedule(seed).then(({ violation, transcript, disruptions }) => {
    process.send?.({ seed, violation, transcript, disruptions });
  });
});
