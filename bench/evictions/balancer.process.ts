// What stands before several operators: a Service, in a cluster.
import { Balancer } from '../../test/support/balancer.ts';
import { answerWith } from '../cluster/answering.ts';
import type { ToBalancer } from './messages.ts';

const balancer = await Balancer.start();
let spread: readonly number[] = [];

answerWith<ToBalancer>(({ targets }) => {
  for (const port of spread) balancer.remove(port);
  for (const port of targets) balancer.add(port);
  spread = targets;
  balancer.cut();
  return { port: balancer.port };
});
