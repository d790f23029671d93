import type { JSX } from 'preact';
import type { PodProbe } from '../../model.ts';
import { Ago, For } from '../../parts/age.tsx';
import { Tag } from '../../parts/tag.tsx';
import { probeWords } from '../../words/states.ts';
import { Facts } from './facts.tsx';
import { agentText } from './words.ts';

const icons = { yes: 'now', no: 'blocked', unconfirmed: 'warning', pending: 'later', invalid: 'blocked' } as const;

/** What the application itself says, by its disruption probe. */
export function PodProbePanel({ probe }: { readonly probe: PodProbe }): JSX.Element {
  const { answer, since, message, agent } = probe;
  const tone = answer === 'yes' ? 'now' : answer === 'no' || answer === 'invalid' ? 'blocked' : 'later';
  return (
    <section class="panel" aria-labelledby="probe-title">
      <h2 id="probe-title">Disruption probe</h2>
      <Facts
        rows={[
          {
            name: 'Answer',
            value: (
              <Tag icon={icons[answer]} tone={tone}>
                {probeWords[answer]}
              </Tag>
            ),
          },
          ...(since === undefined ? [] : [{ name: 'Says so', value: <For since={since} /> }]),
          ...(message === undefined ? [] : [{ name: 'In its words', value: message }]),
          ...(agent === undefined
            ? []
            : [
                {
                  name: 'Agent',
                  value: (
                    <>
                      {agentText(agent)}, <Ago at={agent.renewedAt} />
                      {agent.listsPod ? '' : '; it has not confirmed this pod yet'}
                    </>
                  ),
                },
              ]),
        ]}
      />
    </section>
  );
}
