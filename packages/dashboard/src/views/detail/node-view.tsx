import type { JSX } from 'preact';
import { pathOf } from '../../live/ask.ts';
import { useAnswer } from '../../live/use-answer.ts';
import type { NodeDetail } from '../../model.ts';
import { Ago } from '../../parts/age.tsx';
import { Link } from '../../parts/link.tsx';
import { Tag } from '../../parts/tag.tsx';
import { numberText } from '../../words/counts.ts';
import { nodeLooks } from '../../words/states.ts';
import { Answered } from './answered.tsx';
import { Headline, InTerminal } from './explained.tsx';
import { Facts } from './facts.tsx';
import { NodePods } from './node-pods.tsx';
import { agentText } from './words.ts';

export function NodeView({ name }: { readonly name: string }): JSX.Element {
  const answer = useAnswer<NodeDetail>(pathOf('nodes', name));
  return (
    <Answered title={`Node ${name}`} answer={answer}>
      {(detail) => (
        <>
          <Headline {...detail} />
          <div class="columns">
            <div class="column wide">
              <NodePods pods={detail.pods} />
            </div>
            <div class="column">
              <NodeFacts detail={detail} />
              <InTerminal commands={detail.commands} text={detail.text} />
            </div>
          </div>
        </>
      )}
    </Answered>
  );
}

function NodeFacts({ detail }: { readonly detail: NodeDetail }): JSX.Element {
  const { node, agent } = detail;
  const look = nodeLooks[node.state];
  const ready = node.ready === undefined ? 'not visible with your rights' : node.ready ? 'yes' : 'no';
  const cordoned = node.cordoned === undefined ? 'not visible with your rights' : node.cordoned ? 'yes' : 'no';
  return (
    <section class="panel" aria-labelledby="facts-title">
      <h2 id="facts-title">This node</h2>
      <Facts
        rows={[
          {
            name: 'State',
            value: (
              <Tag icon={look.icon} tone={look.tone}>
                {look.words}
              </Tag>
            ),
          },
          { name: 'Zone', value: node.zone === '' ? 'none' : node.zone },
          { name: 'Ready', value: ready },
          { name: 'Cordoned', value: cordoned },
          { name: 'Pods that a drain evicts', value: numberText(node.pods) },
          { name: 'of them now', value: numberText(node.now) },
          { name: 'after recovery', value: numberText(node.later) },
          { name: 'blocked', value: numberText(node.stuck) },
          ...(agent === undefined
            ? []
            : [
                {
                  name: 'Agent',
                  value: (
                    <>
                      {agentText(agent)}, <Ago at={agent.renewedAt} />
                    </>
                  ),
                },
              ]),
        ]}
      />
      <p>
        <Link to={{ view: 'whatIf', nodes: [node.key] }}>What if this node is drained?</Link>
      </p>
    </section>
  );
}
