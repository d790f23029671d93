import type { Request } from './messages.ts';

/** A pod as people write it, of common size. */
function podSpec(): object {
  return {
    containers: [
      {
        name: 'server',
        image: 'registry.example.com/team/server:1.2.3',
        ports: [{ containerPort: 8080, name: 'http' }],
        resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '256Mi' } },
        env: [{ name: 'LOG_LEVEL', value: 'info' }],
      },
    ],
  };
}

export function podRequest(namespace: string, name: string): Request {
  const body = { metadata: { name, labels: { app: 'web', tier: 'front' } }, spec: podSpec() };
  return { method: 'POST', path: `/api/v1/namespaces/${namespace}/pods`, body: JSON.stringify(body) };
}

export function namespaceRequest(name: string): Request {
  return { method: 'POST', path: '/api/v1/namespaces', body: JSON.stringify({ metadata: { name } }) };
}

/** What a controller makes for each namespace; pods need it. */
export function accountRequest(namespace: string): Request {
  const body = JSON.stringify({ metadata: { name: 'default' } });
  return { method: 'POST', path: `/api/v1/namespaces/${namespace}/serviceaccounts`, body };
}

export function deploymentRequest(namespace: string, name: string, replicas: number): Request {
  const labels = { app: name };
  const body = {
    metadata: { name, labels },
    spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: podSpec() } },
  };
  return { method: 'POST', path: `/apis/apps/v1/namespaces/${namespace}/deployments`, body: JSON.stringify(body) };
}

export function nodeRequest(node: object): Request {
  return { method: 'POST', path: '/api/v1/nodes', body: JSON.stringify(node) };
}
