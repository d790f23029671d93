import { describe } from 'vitest';
import { broken, healthy, iso, pod, terminating } from './builders.ts';
import { annotations, healthyWeb, replacedWeb0, table, upToDate } from './plan-table.ts';

const noReplicas = 'idle: spec.replicas is 0';
const left = (name: string) => `; scale-down: Kubernetes deletes ${name} next`;
const removed = (name: string, behind: string) => `; scale-down: deleted ${name} without waiting for ${behind}`;
describe('[R3] condemned pods', () => {
  table({
    'nothing is broken: Kubernetes removes them': {
      pods: [...healthyWeb, healthy('web-3'), healthy('web-4')],
      want: `${upToDate}${left('web-4')}`,
    },
    'a broken replica does not hold them back, and is repaired before they go': {
      pods: [broken('web-0'), broken('web-3'), healthy('web-4')],
      want: `${replacedWeb0}; scale-down: web-4 is deleted after web-0`,
      removes: 'broken web-0',
    },
    'they go beside a repair that has to wait': {
      pods: [broken('web-0'), broken('web-1', 'new', { changed: -10 }), healthy('web-4')],
      want: `waiting for web-1: not ready yet (counts as broken at ${iso(20)})${removed('web-4', 'web-0')}`,
      removes: 'condemned web-4',
      next: 20,
    },
    'they go although the replica is blocked on the update revision': {
      pods: [broken('web-0', 'new'), healthy('web-3'), healthy('web-4')],
      want: `blocked by web-0: not ready on the update revision new; fix the pod or apply another template${removed('web-4', 'web-0')}`,
      removes: 'condemned web-4',
    },
    'they go although a budget refuses the replica': {
      pods: [broken('web-0'), healthy('web-3')],
      deny: ['web-0'],
      want: `blocked by web-0: its deletion is refused: budget shop says no to web-0${removed('web-3', 'web-0')}`,
      removes: 'condemned web-3',
    },
    'a budget that refuses the highest ends it there: the next is not tried': {
      pods: [broken('web-0', 'new'), healthy('web-3'), healthy('web-4')],
      deny: ['web-4'],
      want: 'blocked by web-0: not ready on the update revision new; fix the pod or apply another template; scale-down: the deletion of web-4 is refused: budget shop says no to web-4',
    },
    'one at a time: the repair waits until it is gone': {
      pods: [broken('web-0'), healthy('web-3'), terminating('web-4')],
      want: 'waiting for web-4: it is terminating; scale-down: web-4 is terminating',
    },
    'however long it takes': {
      pods: [broken('web-0'), pod('web-4', { gone: -86_400 })],
      want: 'waiting for web-4: it is terminating; scale-down: web-4 is terminating',
    },
    'one at a time also when a lower one was removed by hand': {
      pods: [broken('web-0', 'new'), terminating('web-3'), healthy('web-4')],
      want: 'blocked by web-0: not ready on the update revision new; fix the pod or apply another template; scale-down: web-3 is terminating',
    },
    'a replica that broke a moment ago is waited for': {
      pods: [broken('web-0', 'old', { changed: -10 }), healthy('web-3')],
      want: `waiting for web-0: not ready and on an old revision, to be replaced at ${iso(20)}${left('web-3')}`,
      next: 20,
    },
    'a replica that is missing or terminating in time is waited for': {
      pods: [terminating('web-1'), healthy('web-3')],
      want: `waiting for web-0: Kubernetes has not created it yet${left('web-3')}`,
    },
    'a replica that overstays its grace period is waited for, as Kubernetes does': {
      pods: [pod('web-0', { gone: -86_400 }), healthy('web-3')],
      want: `waiting for web-0: it is terminating${left('web-3')}`,
    },
    'with a settle time of 0, too': {
      set: { annotations: annotations('0') },
      pods: [pod('web-0', { gone: -86_400 }), healthy('web-3')],
      want: `waiting for web-0: it is terminating${left('web-3')}`,
    },
    'while a replica is going nothing else goes, whatever is broken beside it': {
      pods: [pod('web-0', { gone: -86_400 }), broken('web-1'), healthy('web-3')],
      want: 'waiting for web-0: it is terminating; scale-down: web-3 is deleted after web-0',
    },
    'a replica that was restarted a moment ago is nothing to wait behind': {
      set: { annotations: annotations('0') },
      pods: [pod('web-0', { restarts: 3, restarted: -1 }), healthy('web-3')],
      want: `waiting for web-0: ready, but restarted a moment ago (trusted at ${iso(9)})${left('web-3')}`,
      next: 9,
    },
    'a finished replica is replaced by Kubernetes, which then goes on': {
      pods: [broken('web-0', 'old', { phase: 'Failed' }), healthy('web-3')],
      want: `waiting for web-0: it has finished, and Kubernetes recreates it${left('web-3')}`,
    },
    'a settle time of 0 makes no healthy pod an obstacle': {
      set: { annotations: annotations('0') },
      pods: [...healthyWeb, broken('web-3')],
      want: `${upToDate}${left('web-3')}`,
    },
    'a settle time of 0 makes no pod that warms up an obstacle': {
      set: { replicas: 0, minReadySeconds: 60, annotations: annotations('0') },
      pods: [pod('web-0', { changed: -10 }), broken('web-1')],
      want: `${noReplicas}${left('web-1')}`,
    },
    'a replica that cannot tell since when it is broken is waited for': {
      pods: [{ metadata: { ...broken('web-0').metadata, creationTimestamp: null } }, healthy('web-3')],
      want: `waiting for web-0: not ready and on an old revision, to be replaced once its status says since when${left('web-3')}`,
    },
    'of two obstacles the one that has lasted longer counts': {
      pods: [
        broken('web-0', 'old', { changed: -40 }),
        broken('web-1', 'old', { changed: -50 }),
        broken('web-2', 'old', { changed: -10 }),
        healthy('web-3'),
      ],
      deny: ['web-0'],
      want: `blocked by web-0: its deletion is refused: budget shop says no to web-0${removed('web-3', 'web-1')}`,
      removes: 'condemned web-3',
    },
    'scaled to zero, healthy: Kubernetes does it': {
      set: { replicas: 0 },
      pods: [healthy('web-0'), healthy('web-1')],
      want: `${noReplicas}${left('web-1')}`,
    },
    'scaled to zero, one broken: Kubernetes does it': {
      set: { replicas: 0 },
      pods: [healthy('web-0'), broken('web-1')],
      want: `${noReplicas}${left('web-1')}`,
    },
    'scaled to zero, a broken one below a healthy one: Kubernetes does it': {
      set: { replicas: 0 },
      pods: [broken('web-0'), healthy('web-1')],
      want: `${noReplicas}${left('web-1')}`,
    },
    'scaled to zero, two broken: Kubernetes would wait for good at the higher one': {
      set: { replicas: 0 },
      pods: [broken('web-0'), broken('web-1')],
      want: `${noReplicas}${removed('web-1', 'web-0')}`,
      removes: 'condemned web-1',
    },
    'two finished condemned pods are the same trap': {
      set: { replicas: 0 },
      pods: [broken('web-0', 'old', { phase: 'Failed' }), broken('web-1', 'old', { phase: 'Failed' })],
      want: `${noReplicas}${removed('web-1', 'web-0')}`,
      removes: 'condemned web-1',
    },
    'two broken condemned pods get their settle time': {
      set: { replicas: 0 },
      pods: [broken('web-0', 'old', { changed: -10 }), broken('web-1')],
      want: `${noReplicas}${left('web-1')}`,
      next: 20,
    },
    'ordinals below the first are condemned, too, and go last': {
      set: { start: 2, replicas: 2 },
      pods: [healthy('web-0'), healthy('web-1'), broken('web-2', 'new'), healthy('web-3')],
      want: `blocked by web-2: not ready on the update revision new; fix the pod or apply another template${removed('web-1', 'web-2')}`,
      removes: 'condemned web-1',
    },
    'the earlier of two moments is when to look again': {
      pods: [broken('web-0', 'old', { changed: -10 }), broken('web-1', 'old', { changed: -20 }), healthy('web-3')],
      want: `waiting for web-0: not ready and on an old revision, to be replaced at ${iso(20)}${left('web-3')}`,
      next: 10,
    },
  });
});
