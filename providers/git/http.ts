import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import { parseHost } from '../webhooks/addresses.ts';
import { fixedLookup, resolveAddress, resolveName } from '../webhooks/sender.ts';

export interface GitResponse {
  status: number;
  type: string;
  location: string | undefined;
  body: Buffer;
}

export interface GitRequest {
  /** The body of a POST request; without it the request is a GET. */
  body?: string;
  /** True on the local run: allows addresses of this machine, also over plain HTTP. */
  allowLocal: boolean;
  /** Maximum size of the response in bytes. */
  maxBytes: number;
  signal: AbortSignal;
}

/** A response exceeded {@link GitRequest.maxBytes}. */
export class ResponseTooLarge extends Error {}

/** Git hosts recognize Git by this user agent. */
const AGENT = 'git/2.47.0 (hosting)';

/**
 * Sends a request of Git's HTTP protocol, version 2. Checks the address both as written in the URL and as resolved, like that of a
 * webhook (providers/webhooks/sender.ts). Does not follow redirects.
 */
export async function requestGit(url: URL, { body, allowLocal, maxBytes, signal }: GitRequest): Promise<GitResponse> {
  const address = await resolveAddress(url, { allowLocal, resolve: resolveName }, signal);
  signal.throwIfAborted();
  const secure = url.protocol === 'https:';
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = (secure ? httpsRequest : httpRequest)(url, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        'user-agent': AGENT,
        'git-protocol': 'version=2',
        ...(body === undefined
          ? {}
          : {
              'content-type': 'application/x-git-upload-pack-request',
              accept: 'application/x-git-upload-pack-result',
              'content-length': Buffer.byteLength(body),
            }),
      },
      signal,
      lookup: fixedLookup(address),
      agent: false,
      // TLS does not allow IP addresses as the server name.
      ...(secure && isIP(parseHost(url)) === 0 ? { servername: parseHost(url) } : {}),
    });
    request.on('response', resolve);
    request.on('error', reject);
    // An answer that switches protocols (101) emits neither an error nor a response.
    request.on('close', () => reject(new Error('the connection closed without an answer')));
    request.end(body);
  });
  const { statusCode: status = 0, headers } = response;
  return {
    status,
    type: headers['content-type'] ?? '',
    location: headers.location,
    body: await read(response, maxBytes),
  };
}

async function read(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response) {
    const bytes = Buffer.from(chunk);
    length += bytes.length;
    if (length > maxBytes) throw new ResponseTooLarge();
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}
