import {
  startWebhookServer,
  type WebhookServer,
} from '../../packages/embedded-cluster/test/admission/webhook-server.ts';

/** A webhook server on 127.0.0.1, which any API server on this machine can call by its URL. */
export function testWebhooks(): Promise<WebhookServer> {
  return startWebhookServer();
}
