import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { createServer } from 'node:http';
import { serverCertificate } from './certificates.ts';
import { type Handler, loopback, patchOf, startWebhookServer } from './webhook-server.ts';
import { aWebhook } from './world.ts';
const dir = '/tmp/admission/real/';
const tls = { ca: readFileSync(dir + 'ca.crt'), cert: readFileSync(dir + 'admin.crt'), key: readFileSync(dir + 'admin.key') };
function api(method: string, path: string, body?: unknown): Promise<{ code: number; body: any }> {
  return new Promise((resolve, reject) => {
    const text = body === undefined ? '' : JSON.stringify(body);
    const r = request('https://127.0.0.1:36443' + path, { method, ...tls, headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) } }, (res) => {
      const c: Buffer[] = []; res.on('data', (d) => c.push(d)); res.on('end', () => resolve({ code: res.statusCode ?? 0, body: JSON.parse(Buffer.concat(c).toString()) }));
    }); r.on('error', reject); r.end(text);
  });
}
const raw = (code: number, headers: any, text: string): Handler => (_r, a) => { a.writeHead(code, headers); a.end(text); return undefined; };
const server = await startWebhookServer();
let n = 0;
async function probe(label: string, handler: Handler | undefined, more: any = {}, mutating = false, url?: string, ca = server.ca) {
  n += 1; const path = `/p${n}`;
  if (handler) server.handle(path, handler);
  const kind = mutating ? 'Mutating' : 'Validating';
  const res = `/apis/admissionregistration.k8s.io/v1/${kind.toLowerCase()}webhookconfigurations`;
  const hook = { ...aWebhook('w.example.com', url ?? server.url + path, ca, { rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }], ...more }) };
  const made = await api('POST', res, { apiVersion: 'admissionregistration.k8s.io/v1', kind: `${kind}WebhookConfiguration`, metadata: { name: 'probe' }, webhooks: [hook] });
  if (made.code !== 201) { console.log(label, '=> CONFIG', made.code, made.body.message); return; }
  let out: any;
  for (let i = 0; i < 40; i += 1) {
    out = await api('POST', '/api/v1/namespaces/default/configmaps?dryRun=All', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' }, data: { a: 'b' } });
    if (out.code !== 201) break;
    if (server.received.length > 0 && server.received.at(-1)?.path.startsWith(path + '?')) break;
    await new Promise((r) => setTimeout(r, 50));
  }
  console.log(label, '=>', out.code, JSON.stringify({ reason: out.body.reason, message: out.body.message, details: out.body.details }));
  await api('DELETE', res + '/probe');
  for (let i = 0; i < 40; i += 1) { const before = await api('POST', '/api/v1/namespaces/default/configmaps?dryRun=All', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } }); if (before.code === 201) break; await new Promise((r) => setTimeout(r, 50)); }
  await new Promise((r) => setTimeout(r, 200));
}
await probe('allow', () => ({ allowed: true }));
console.log(server.received.at(-1)?.text, JSON.stringify(server.received.at(-1)?.headers), server.received.at(-1)?.path);
await probe('wrong uid', () => ({ uid: 'other', allowed: true }));
await probe('absent', ({ review }, a) => { a.end(JSON.stringify({ ...review, response: undefined })); return undefined; });
await probe('other kind', raw(200, {}, '{"kind":"Pod","apiVersion":"v1"}'));
await probe('no kind', ({ review }, a) => { a.end(JSON.stringify({ response: { uid: review.request.uid, allowed: true } })); return undefined; });
await probe('not json', raw(200, {}, 'oops'));
await probe('list', raw(200, {}, '[]'));
await probe('truncated', raw(200, {}, '{"kind":'));
await probe('bad type', () => ({ allowed: 'yes' }));
await probe('bad status', () => ({ allowed: true, status: 'x' }));
await probe('bad warnings', () => ({ allowed: true, warnings: [1] }));
await probe('empty', raw(200, { 'content-type': 'application/json' }, ''));
await probe('500', raw(500, { 'content-type': 'text/plain' }, 'kaputt\n'));
await probe('500 json', raw(500, { 'content-type': 'application/json' }, '{}'));
await probe('404', raw(404, {}, ''));
await probe('302', raw(302, {}, ''));
await probe('418', raw(418, {}, 'tea'));
await probe('Status', raw(503, { 'content-type': 'application/json' }, '{"kind":"Status","apiVersion":"v1","status":"Failure","message":"starting"}'));
await probe('eof', (_r, a) => { a.destroy(); return undefined; });
await probe('early end', (_r, a) => { a.writeHead(200, { 'content-length': '100' }); a.write('{', () => a.destroy()); return undefined; });
await probe('slow', () => new Promise(() => undefined), { timeoutSeconds: 1 });
await probe('slow body', (_r, a) => { a.writeHead(200, { 'content-length': '100' }); a.write('{'); return undefined; }, { timeoutSeconds: 1 });
await probe('refused', undefined, {}, false, 'https://127.0.0.1:1/x/');
await probe('nohost', undefined, {}, false, 'https://nohost.invalid/x');
await probe('bad ca', undefined, {}, false, undefined, 'garbage');
await probe('unknown ca', undefined, {}, false, undefined, (await serverCertificate(loopback)).ca);
const other = await startWebhookServer(await serverCertificate([{ type: 'ip', value: '10.0.0.1' }]));
await probe('other ip', undefined, {}, false, other.url, other.ca);
const dns = await startWebhookServer(await serverCertificate([{ type: 'dns', value: 'a.b' }]));
await probe('only dns', undefined, {}, false, dns.url, dns.ca);
const localhost = await startWebhookServer(await serverCertificate([{ type: 'dns', value: 'a.b' }, { type: 'dns', value: 'c.d' }]));
await probe('other dns', undefined, {}, false, localhost.url.replace('127.0.0.1', 'localhost'), localhost.ca);
const old = await startWebhookServer(await serverCertificate(loopback, new Date('2021-01-01T00:00:00Z')));
await probe('expired', undefined, {}, false, old.url, old.ca);
const plain = createServer((_q, s) => s.end('x')).listen(0); await new Promise((r) => plain.once('listening', r));
await probe('plain http', undefined, {}, false, `https://127.0.0.1:${(plain.address() as any).port}/`);
await probe('service', undefined, { clientConfig: { service: { namespace: 'default', name: 'guard' } } });
await probe('service no ns', undefined, { clientConfig: { service: { namespace: '', name: 'guard' } } });
await probe('beta', () => ({ uid: '', allowed: true }), { admissionReviewVersions: ['v1beta1'] });
await probe('validating patch', () => ({ allowed: true, patch: 'W10=', patchType: 'JSONPatch' }));
await probe('patch inapplicable', () => patchOf({ op: 'add', path: '/metadata/labels/x', value: 'y' }), {}, true);
await probe('patch remove', () => patchOf({ op: 'remove', path: '/data/x' }), {}, true);
await probe('patch replace', () => patchOf({ op: 'replace', path: '/nothing/x', value: 1 }), {}, true);
await probe('patch test', () => patchOf({ op: 'test', path: '/data/a', value: 1 }), {}, true);
await probe('patch copy', () => patchOf({ op: 'copy', from: '/nothing/y', path: '/data/z' }), {}, true);
await probe('patch op', () => patchOf({ op: 'magic', path: '/data/z' }), {}, true);
await probe('patch object', () => ({ allowed: true, patch: 'e30=', patchType: 'JSONPatch' }), {}, true);
await probe('patch garbage', () => ({ allowed: true, patch: 'Kio=', patchType: 'JSONPatch' }), {}, true);
await probe('patch base64', () => ({ allowed: true, patch: '*', patchType: 'JSONPatch' }), {}, true);
await probe('patch type', () => ({ ...patchOf({ op: 'add', path: '/data/z', value: 'x' }), patchType: 'Magic' }), {}, true);
await probe('condition', () => ({ allowed: true }), { matchConditions: [{ name: 'c', expression: 'request.subResource == ""' }] });
await probe('condition2', () => ({ allowed: true }), { matchConditions: [{ name: 'c', expression: 'request.subResource == ""' }, { name: 'd', expression: 'object.nothing == 1' }] });
await probe('bad cond', () => ({ allowed: true }), { matchConditions: [{ name: 'c', expression: 'object.' }] });
await probe('string cond', () => ({ allowed: true }), { matchConditions: [{ name: 'c', expression: '"text"' }] });
await probe('url', undefined, {}, false, 'https://me:secret@a/x?q=1#f');
await probe('url http', undefined, {}, false, 'http://a b');
await probe('sideEffects', undefined, { sideEffects: 'Some' });
process.exit(0);
