// Asks the same applications at the same rhythm with nothing but node:http: what the machine and Node cost alone.
import { request } from 'node:http';
import { answerWith, cpuSpent } from '../cluster/answering.ts';
import type { Cpu } from '../cluster/messages.ts';
import type { ToBare } from './messages.ts';
import { addressOf, periodSeconds, probedPods } from './pods.ts';

/** As the agent does: some at a time. */
const beatMs = 250;

answerWith<ToBare>(async ({ port, seconds }): Promise<Cpu> => {
  const perBeat = (probedPods * beatMs) / (periodSeconds * 1_000);
  let asked = 0;
  const beat = setInterval(() => {
    for (let i = 0; i < perBeat; i += 1, asked += 1) void ask(addressOf(asked % probedPods), port);
  }, beatMs);
  const { micros } = cpuSpent();
  await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
  clearInterval(beat);
  return { micros: cpuSpent().micros - micros };
});

function ask(host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const asked = request({ host, port, path: '/disruptable', agent: false }, (response) => {
      response.resume();
      response.on('end', resolve);
    });
    asked.on('error', reject);
    asked.end();
  });
}
