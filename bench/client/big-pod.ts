/** A pod of about 3 KB, with what real pods have and we do not read. */
export function bigPod(index: number, version: number): object {
  const app = `checkout-${index % 400}`;
  const hex = index.toString(16).padStart(8, '0');
  const name = `${app}-7d4b9c6f5d-${hex.slice(3)}`;
  const time = '2026-01-01T00:00:00Z';
  return {
    metadata: {
      name,
      generateName: `${app}-7d4b9c6f5d-`,
      namespace: `team-${index % 50}`,
      uid: `${hex}-5d1e-4c3b-9a7f-${hex}aaaa`,
      resourceVersion: String(version),
      generation: 1,
      creationTimestamp: time,
      labels: {
        app,
        'app.kubernetes.io/name': app,
        'app.kubernetes.io/part-of': 'shop',
        'pod-template-hash': '7d4b9c6f5d',
      },
      annotations: { 'kubectl.kubernetes.io/restartedAt': time, 'prometheus.io/scrape': 'true' },
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: 'ReplicaSet',
          name: `${app}-7d4b9c6f5d`,
          uid: `${app}-uid`,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
      managedFields: managers.map((manager) => ({
        manager,
        operation: 'Update',
        apiVersion: 'v1',
        time,
        fieldsType: 'FieldsV1',
        fieldsV1,
      })),
    },
    spec: {
      nodeName: `node-${index % 1_500}`,
      serviceAccountName: app,
      schedulerName: 'default-scheduler',
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      containers: [container('main', `registry.example.com/${app}:1.2.3`)],
      tolerations: [
        { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
      ],
      volumes: [
        {
          name: 'token',
          projected: { sources: [{ serviceAccountToken: { expirationSeconds: 3607, path: 'token' } }] },
        },
      ],
    },
    status: {
      phase: 'Running',
      conditions: ['Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map((type) => ({
        type,
        status: 'True',
        lastProbeTime: null,
        lastTransitionTime: time,
      })),
      containerStatuses: ['main'].map((container) => ({
        name: container,
        state: { running: { startedAt: time } },
        ready: true,
        restartCount: 0,
        image: `registry.example.com/${container}:1`,
        imageID: `registry.example.com/${container}@sha256:4b825dc642cb6eb9a060e54bf8d69288fbee4904`,
        containerID: `containerd://${hex}${hex}${hex}${hex}`,
      })),
      hostIP: '10.0.0.1',
      podIP: `10.1.${index % 250}.${index % 240}`,
      startTime: time,
      qosClass: 'Burstable',
    },
  };
}

const managers = ['kube-controller-manager', 'kubelet'];
const fieldsV1 = {
  'f:metadata': { 'f:labels': { '.': {}, 'f:app': {}, 'f:pod-template-hash': {} }, 'f:ownerReferences': { '.': {} } },
  'f:status': { 'f:conditions': { 'k:{"type":"Ready"}': { '.': {}, 'f:lastTransitionTime': {}, 'f:status': {} } } },
};

function container(name: string, image: string): object {
  return {
    name,
    image,
    imagePullPolicy: 'IfNotPresent',
    ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
    env: [{ name: 'POD_NAME', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } }],
    resources: { requests: { cpu: '250m', memory: '256Mi' }, limits: { memory: '512Mi' } },
    readinessProbe: {
      httpGet: { path: '/ready', port: 'http', scheme: 'HTTP' },
      periodSeconds: 5,
      failureThreshold: 3,
    },
  };
}
