import { HttpConnection, requestBytes } from './http-connection.ts';
import type { Access, Request } from './messages.ts';

interface Send {
  readonly access: Access;
  readonly requests: readonly Request[];
  readonly connections: number;
}

/** Every request once; each must succeed. */
export async function sendAll({ access, requests, connections }: Send): Promise<{ sent: number }> {
  let next = 0;
  const one = async (): Promise<void> => {
    const connection = await HttpConnection.open(access);
    for (let request = requests[next++]; request !== undefined; request = requests[next++]) {
      const { code } = await connection.send(requestBytes(request));
      if (code >= 300) throw new Error(`${request.method} ${request.path}: ${code}`);
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: connections }, one));
  return { sent: requests.length };
}
