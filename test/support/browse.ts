import { Agent, request } from 'node:http';

const agent = new Agent({ keepAlive: true });

export interface Page {
  status: number;
  /** Content type without parameters. */
  type: string;
  body: string;
}

/** Requests a page of a hosted application by host name, as a browser would. */
export const get = (baseUrl: string, host: string, path = '/'): Promise<Page> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(baseUrl);
    const headers = { host: `${host}:${port}` };
    const outgoing = request({ hostname, port, path, headers, agent }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () => {
        const [type = ''] = (answer.headers['content-type'] ?? '').split(';');
        resolve({ status: answer.statusCode ?? 0, type, body: Buffer.concat(chunks).toString('utf8') });
      });
    });
    outgoing.on('error', reject);
    outgoing.end();
  });

/** Returns the URLs that a page references on its own host: scripts, styles, icons, images in all sizes. */
export function assetsOf(html: string): string[] {
  const single = [...html.matchAll(/\b(?:src|href)="(\/[^/"][^"]*)"/g)].map(([, path = '']) => path);
  const sizes = [...html.matchAll(/\b(?:srcset|imagesrcset)="([^"]*)"/gi)]
    .flatMap(([, list = '']) => list.split(','))
    .map((each) => each.trim().split(' ')[0] ?? '');
  return [...new Set([...single, ...sizes])].map((path) => path.replaceAll('&amp;', '&'));
}
