import { operatorName } from '../../api/installation-names.ts';
import { type ServerNames, serviceNames, urlNames } from '../../trust/material.ts';

/** A developer who runs the operator outside of a cluster calls it by these names, too. */
const loopback: ServerNames = { dnsNames: ['localhost'], addresses: ['127.0.0.1', '::1'] };

/**
 * Everything that the webhooks are called by: the Service, the host of the URL, and, where there is a URL, the machine itself.
 * @param url of the webhooks, or of a balancer before them
 */
export function webhookNames(namespace: string, url: string | undefined): ServerNames {
  const all = [serviceNames(operatorName, namespace), ...(url === undefined ? [] : [urlNames(url), loopback])];
  return {
    dnsNames: [...new Set(all.flatMap(({ dnsNames }) => dnsNames))],
    addresses: [...new Set(all.flatMap(({ addresses }) => addresses))],
  };
}
