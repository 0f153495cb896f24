import { Agent, request } from 'node:http';

const agent = new Agent({ keepAlive: true });

export interface Page {
  status: number;
  body: string;
}

/** Asks the platform's front for a page of a hosted application, by host name, as a browser would. */
export const get = (baseUrl: string, host: string, path = '/'): Promise<Page> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(baseUrl);
    const headers = { host: `${host}:${port}` };
    const outgoing = request({ hostname, port, path, headers, agent }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8') }));
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
