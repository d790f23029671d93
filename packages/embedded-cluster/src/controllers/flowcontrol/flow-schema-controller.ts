import { flowSchemas, priorityLevels } from '../../flowcontrol/flow-control.ts';
import { flowSchemaOf } from '../../flowcontrol/flow-schema.ts';
import type { KubeObject } from '../../objects.ts';
import { timestamp } from '../../time/clock.ts';
import { type Condition, withCondition } from '../common/conditions.ts';
import { writeStatus } from '../common/status-writer.ts';
import { type Controller, type ControllerContext, Reconciler } from '../controller.ts';

const name = 'api-priority-and-fairness-config-consumer-v1';

/** Whether the priority level that a flow schema names is there. Without one, the schema takes no requests. */
function danglingCondition(priorityLevel: string, found: boolean, nowMs: number): Condition {
  const about = `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(priorityLevel)}`;
  return {
    type: 'Dangling',
    status: found ? 'False' : 'True',
    lastTransitionTime: timestamp(nowMs),
    reason: found ? 'Found' : 'NotFound',
    message: `${about} ${found ? 'and it exists' : 'but there is no such object'}`,
  };
}

/** Says of each flow schema whether its priority level is there. */
export function startFlowSchemaController(context: ControllerContext): Controller {
  const { view, clock } = context;
  const client = context.clientFor(name);
  const reconciler = new Reconciler(context, {
    name,
    async reconcile(key) {
      const schema = view.get(flowSchemas, '', key);
      if (schema === undefined || schema.metadata.deletionTimestamp !== undefined) return undefined;
      const { priorityLevel } = flowSchemaOf(schema);
      const found = view.get(priorityLevels, '', priorityLevel) !== undefined;
      const { conditions } = (schema['status'] ?? {}) as { conditions?: readonly Condition[] };
      const next = withCondition(conditions, danglingCondition(priorityLevel, found, clock.now()));
      await writeStatus(client, flowSchemas, schema, { conditions: next });
      return undefined;
    },
  });
  const naming = (level: KubeObject) =>
    view.list(flowSchemas).filter((schema) => flowSchemaOf(schema).priorityLevel === level.metadata.name);
  const watching = [
    view.watch(flowSchemas, ({ object }) => reconciler.add(object.metadata.name)),
    view.watch(priorityLevels, ({ type, object }) => {
      if (type !== 'MODIFIED') for (const schema of naming(object)) reconciler.add(schema.metadata.name);
    }),
  ];
  return {
    stop() {
      for (const watch of watching) watch.stop();
      reconciler.stop();
    },
  };
}
