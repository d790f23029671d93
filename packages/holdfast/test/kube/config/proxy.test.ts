import { describe, expect, it } from 'vitest';
import { accessOf, parseKubeconfig } from '../../../src/kube/config/kubeconfig.ts';
import { environmentProxy, proxyUrl } from '../../../src/kube/config/proxy.ts';

const proxy = { HTTPS_PROXY: 'http://proxy:3128' };
const server = 'https://api.example.com:6443';

describe('the proxy of the environment', () => {
  it.each<readonly [string, Record<string, string>, string, string | undefined]>([
    ['for https', proxy, server, 'http://proxy:3128/'],
    ['in small letters', { https_proxy: 'http://proxy:3128' }, server, 'http://proxy:3128/'],
    ['capital letters win', { ...proxy, https_proxy: 'http://other:1' }, server, 'http://proxy:3128/'],
    ['without a scheme', { HTTPS_PROXY: 'proxy:3128' }, server, 'http://proxy:3128/'],
    ['none is named', {}, server, undefined],
    ['an empty one is none', { HTTPS_PROXY: '' }, server, undefined],
    ['that of http is not for https', { HTTP_PROXY: 'http://proxy:3128' }, server, undefined],
    ['for http', { HTTP_PROXY: 'http://proxy:3128' }, 'http://api.example.com', 'http://proxy:3128/'],
    ['never for this machine', proxy, 'https://127.0.0.1:6443', undefined],
    ['nor by its name', proxy, 'https://localhost:6443', undefined],
    ['nor by IPv6', proxy, 'https://[::1]:6443', undefined],
    ['NO_PROXY: everything', { ...proxy, NO_PROXY: '*' }, server, undefined],
    ['NO_PROXY: the host', { ...proxy, NO_PROXY: 'a.b, API.example.com' }, server, undefined],
    ['NO_PROXY: its domain', { ...proxy, no_proxy: 'example.com' }, server, undefined],
    ['NO_PROXY: below a domain', { ...proxy, NO_PROXY: '.example.com' }, server, undefined],
    ['NO_PROXY: with a star', { ...proxy, NO_PROXY: '*.example.com' }, server, undefined],
    ['NO_PROXY: only below it', { ...proxy, NO_PROXY: '.api.example.com' }, server, 'http://proxy:3128/'],
    ['NO_PROXY: no part of a name', { ...proxy, NO_PROXY: 'ample.com' }, server, 'http://proxy:3128/'],
    ['NO_PROXY: the port', { ...proxy, NO_PROXY: 'example.com:6443' }, server, undefined],
    ['NO_PROXY: another port', { ...proxy, NO_PROXY: 'example.com:443' }, server, 'http://proxy:3128/'],
    ['NO_PROXY: an address', { ...proxy, NO_PROXY: '10.0.0.1' }, 'https://10.0.0.1:6443', undefined],
    ['NO_PROXY: a network', { ...proxy, NO_PROXY: '10.0.0.0/8' }, 'https://10.9.8.7', undefined],
    ['NO_PROXY: another network', { ...proxy, NO_PROXY: '10.0.0.0/16' }, 'https://10.9.8.7', 'http://proxy:3128/'],
    ['NO_PROXY: a network of IPv6', { ...proxy, NO_PROXY: 'fd00::/8' }, 'https://[fd00::7]:6443', undefined],
    ['NO_PROXY: an address of IPv6', { ...proxy, NO_PROXY: '[fd00::7]:6443' }, 'https://[fd00::7]:6443', undefined],
    ['NO_PROXY: what makes no sense', { ...proxy, NO_PROXY: '10.0.0.0/99,/,:,' }, server, 'http://proxy:3128/'],
  ])('%s', (_, env, url, want) => {
    expect(environmentProxy(env, new URL(url))?.href).toBe(want);
  });
});

describe('the proxy of a kubeconfig', () => {
  const config = (url: string) =>
    [
      'clusters: [{name: c, cluster: {server: "https://a", proxy-url: "',
      url,
      '"}}]\ncontexts: [{name: x, context: {cluster: c}}]\ncurrent-context: x\n',
    ].join('');

  it('is read, with its credentials', () => {
    expect(accessOf(parseKubeconfig(config('https://me:secret@proxy:8443'), '/')).proxy?.href).toBe(
      'https://me:secret@proxy:8443/',
    );
    expect(accessOf(parseKubeconfig(config(''), '/')).proxy).toBeUndefined();
  });

  it.each([
    [
      'socks5://me:secret@proxy:1080',
      'names a socks5 proxy (proxy:1080), which is not supported: use one with an http://',
    ],
    ['http://', 'is no address of a proxy'],
  ])('is refused with a reason, and without the password: %s', (url, message) => {
    const read = () => accessOf(parseKubeconfig(config(url), '/'));
    expect(read).toThrow(`proxy-url of cluster "c" ${message}`);
    expect(read).not.toThrow('secret');
  });

  it('may be without a scheme', () => {
    expect(proxyUrl('proxy:3128', 'x').href).toBe('http://proxy:3128/');
  });
});
