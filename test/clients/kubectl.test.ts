import { afterAll, describe, expect, it } from 'vitest';
import { testCluster } from '../support/cluster.ts';
import { hasKubectl, kubectlFor } from './kubectl.ts';

if (!hasKubectl) process.stderr.write('there is no kubectl on PATH: its tests are SKIPPED\n');

const cluster = await testCluster({ controllers: true, nodes: 3, speed: 20 });
const kubectl = await kubectlFor(cluster.kubeconfig, cluster.namespace);
const skipped = !hasKubectl || cluster.lacksControllers;
const close = async () => {
  await kubectl.close();
  await cluster.close();
};
afterAll(close);
// Where every test is skipped, no hook runs.
if (skipped) await close();

async function done(args: string, input?: string): Promise<string> {
  const { code, out, err } = await kubectl(args, input);
  if (code !== 0) throw new Error(`kubectl ${args}: exit code ${code}\n${out}${err}`);
  return out;
}

const configMap = (value: string) => `
apiVersion: v1
kind: ConfigMap
metadata: {name: app}
data: {a: "${value}"}
`;

const workload = (kind: string, name: string) => `
apiVersion: apps/v1
kind: ${kind}
metadata: {name: ${name}}
spec:
  replicas: 3
  ${kind === 'StatefulSet' ? `serviceName: ${name}` : ''}
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec:
      terminationGracePeriodSeconds: 1
      containers: [{name: main, image: "${name}:1"}]
`;

describe.skipIf(skipped).sequential('kubectl', () => {
  it('lists what there is, with the columns of each kind', async () => {
    expect(await done('get nodes')).toMatch(/^NAME +STATUS +ROLES +AGE +VERSION\nnode-1 +Ready +<none>/);
    expect(await done('get all --all-namespaces')).toContain('service/kubernetes');
    expect(await done('api-resources --api-group=policy -o name')).toBe('poddisruptionbudgets.policy\n');
    expect(await done('get pods -o name')).toBe('');
  });

  it('explains kinds', async () => {
    const out = await done('explain pdb.spec');
    expect(out).toContain('KIND:       PodDisruptionBudget');
    expect(out).toMatch(/maxUnavailable\s+<IntOrString>/);
  });

  it('applies on the client side, says what would change, and patches', async () => {
    expect(await done('apply -f -', configMap('1'))).toBe('configmap/app created\n');
    expect(await done('apply -f -', configMap('1'))).toBe('configmap/app unchanged\n');
    const diff = await kubectl('diff -f -', configMap('2'));
    expect(diff.code).toBe(1);
    expect(diff.out).toContain('-  a: "1"\n+  a: "2"\n');
    expect(await done('apply -f - --dry-run=server', configMap('2'))).toContain('configured (server dry run)');
    expect(await done('apply -f -', configMap('2'))).toBe('configmap/app configured\n');
    expect(await done('patch configmap app -p {"data":{"b":"x"}}')).toBe('configmap/app patched\n');
    await done('patch configmap app --type=json -p [{"op":"remove","path":"/data/b"}]');
    await done('label configmap app tier=front');
    expect(await done('get configmap app -o jsonpath={.data}{.metadata.labels}')).toBe('{"a":"2"}{"tier":"front"}');
  });

  it('applies on the server side, with conflicts', async () => {
    const conflict = await kubectl('apply --server-side --field-manager=other -f -', configMap('3'));
    expect(conflict.code).toBe(1);
    expect(conflict.err).toContain(
      'Apply failed with 1 conflict: conflict with "kubectl-client-side-apply" using v1: .data.a',
    );
    const forced = await done('apply --server-side --force-conflicts --field-manager=other -f -', configMap('3'));
    expect(forced).toBe('configmap/app serverside-applied\n');
    const invalid = await kubectl('apply -f -', configMap('3').replace('\ndata:', '\ndada:'));
    expect(invalid.code).toBe(1);
    expect(invalid.err).toContain('unknown field "dada"');
  });

  it('rolls out, scales, rolls back and waits', async () => {
    await done('apply -f -', workload('Deployment', 'web'));
    expect(await done('rollout status deployment/web --timeout=30s')).toContain('successfully rolled out');
    expect(await done('scale deployment web --replicas=4')).toBe('deployment.apps/web scaled\n');
    expect(await done('set image deployment/web main=web:2')).toContain('image updated');
    expect(await done('rollout status deployment/web --timeout=30s')).toContain('successfully rolled out');
    expect(await done('rollout history deployment/web')).toMatch(/REVISION.*\n1 .*\n2 /);
    expect(await done('rollout undo deployment/web')).toBe('deployment.apps/web rolled back\n');
    expect(await done('rollout status deployment/web --timeout=30s')).toContain('successfully rolled out');
    await done('wait --for=condition=Available deployment/web --timeout=30s');
    expect(await done('get deployment web')).toMatch(/web +4\/4 +4 +4 /);
    const images = 'get pods -l app=web -o jsonpath={.items[*].spec.containers[0].image}';
    expect(await done(images)).toBe('web:1 web:1 web:1 web:1');
  });

  it('describes what happened to a pod, runs commands in it and reads its log', async () => {
    const pod = (await done('get pods -l app=web -o name')).split('\n')[0] ?? '';
    const description = await done(`describe ${pod}`);
    expect(description).toMatch(/Controlled By: +ReplicaSet\/web-/);
    expect(description).toMatch(/Normal +Scheduled .* Successfully assigned/);
    expect(await done(`exec ${pod} -- echo hello`)).toBe('hello\n');
    const failed = await kubectl(`exec ${pod} -- false`);
    expect(failed.code).toBe(1);
    expect(await done(`logs ${pod}`)).not.toBe('');
    expect(await done('describe node node-1')).toMatch(/Non-terminated Pods:/);
  });

  it('says what one may do', async () => {
    expect(await done('auth can-i create pods')).toBe('yes\n');
    expect(await kubectl('auth can-i create pods --as=jane')).toMatchObject({ code: 1, out: 'no\n' });
    expect(await done('auth whoami -o jsonpath={.status.userInfo.groups}')).toContain('system:masters');
  });

  it('drains a node, and budgets hold', async () => {
    await done('apply -f -', workload('StatefulSet', 'db'));
    await done('rollout status statefulset/db --timeout=30s');
    await done('create poddisruptionbudget db --selector=app=db --min-available=3');
    const node = await done('get pod db-0 -o jsonpath={.spec.nodeName}');
    expect(await done(`cordon ${node}`)).toBe(`node/${node} cordoned\n`);
    const held = await kubectl(`drain ${node} --ignore-daemonsets --timeout=1s`);
    expect(held.code).toBe(1);
    expect(held.err).toContain("Cannot evict pod as it would violate the pod's disruption budget.");
    expect(await done('get pdb db')).toMatch(/db +3 +N\/A +0 /);
    await done('patch pdb db -p {"spec":{"minAvailable":1}}');
    expect(await done(`drain ${node} --ignore-daemonsets --timeout=30s`)).toContain(`node/${node} drained`);
    expect(await done(`uncordon ${node}`)).toBe(`node/${node} uncordoned\n`);
    await done('rollout status statefulset/db --timeout=30s');
    const moved = await done('get pod db-0 -o jsonpath={.spec.nodeName}');
    expect(moved).not.toBe(node);
  });

  it('deletes, and what belongs to it goes along', async () => {
    expect(await done('delete deployment web')).toContain('deployment.apps "web" deleted');
    await done('delete statefulset db --cascade=foreground');
    await done('wait --for=delete pod -l app=web --timeout=30s');
    expect(await done('get pods -o name')).toBe('');
    expect(await done('get replicasets -o name')).toBe('');
    expect((await kubectl('delete configmap none')).err).toContain(
      'Error from server (NotFound): configmaps "none" not found',
    );
  });
});
