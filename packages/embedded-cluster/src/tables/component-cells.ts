import { objectsAt, textAt } from '../kinds/builtin/checks/read.ts';
import type { Cells } from '../kinds/builtin-types.ts';

export const componentCells: Cells = (object) => {
  const condition = objectsAt(object, 'conditions').find((one) => textAt(one, 'type') === 'Healthy');
  const status = condition === undefined ? 'Unknown' : textAt(condition, 'status') === 'True' ? 'Healthy' : 'Unhealthy';
  return [object.metadata.name, status, textAt(condition, 'message'), textAt(condition, 'error')];
};
