import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import { decode, encode } from 'dns-packet';
import { XMLBuilder } from 'fast-xml-parser';
import { listen } from '../../local/emulators/wire.ts';

/**
 * An AWS account over HTTP whose answers are data: one server for all services, told apart by the scope of each request's
 * signature, in the wire format of each. It also counts what was created and not deleted.
 */

/** A call as the services see it. `operation` is the operation's name, or method and path where the path names it. */
export interface AwsCall {
  service: string;
  region: string;
  operation: string;
  /** The access key that signed it. */
  key: string;
  /** The JSON body, the form of the query protocol, or the query of the address. */
  input: Record<string, unknown>;
}

/** An error in the service's own format. */
export class Refusal {
  readonly code: string;
  readonly message: string;
  readonly status: number;
  constructor(code: string, message: string, status = 400) {
    this.code = code;
    this.message = message;
    this.status = status;
  }
}

/** Bytes that are sent as they are, for event streams. */
type Answer = object | Refusal | Buffer;
/** `service operation` → answer. `*` in a key stands for any text. */
export type Scenario = Record<string, Answer | ((call: AwsCall) => Answer)>;

/** Resources that calls create and delete: `service operation` → effect, and the input's field that names the resource. */
const LIFECYCLE: [pattern: RegExp, kind: string, effect: 'add' | 'delete'][] = [
  [/^iam CreateRole$/, 'role', 'add'],
  [/^iam DeleteRole$/, 'role', 'delete'],
  [/^iam PutRolePolicy$/, 'policy', 'add'],
  [/^iam DeleteRolePolicy$/, 'policy', 'delete'],
  [/^lambda POST \/2015-03-31\/functions$/, 'function', 'add'],
  [/^lambda DELETE \/2015-03-31\/functions\/[^/]+$/, 'function', 'delete'],
  [/^codebuild CreateProject$/, 'project', 'add'],
  [/^codebuild DeleteProject$/, 'project', 'delete'],
  [/^codebuild StartBuild$/, 'build', 'add'],
  [/^codebuild BatchDeleteBuilds$/, 'build', 'delete'],
];
const nameIn = ({ operation, input }: AwsCall): string => {
  const { RoleName, FunctionName, name } = input;
  return String(RoleName ?? FunctionName ?? name ?? /functions\/([^/]+)$/.exec(operation)?.[1] ?? '');
};

const QUERY = ['sts', 'iam', 'cloudformation'];
const xml = new XMLBuilder({});

/** Encodes a message of an event stream with text headers. */
export function eventMessage(event: string, payload: string): Buffer {
  const headers = Object.entries({
    ':message-type': 'event',
    ':event-type': event,
    ':content-type': 'application/octet-stream',
  });
  const head = Buffer.concat(
    headers.map(([name, value]) => {
      const length = Buffer.from([value.length >> 8, value.length & 0xff]);
      return Buffer.concat([
        Buffer.from([name.length]),
        Buffer.from(name),
        Buffer.from([7]),
        length,
        Buffer.from(value),
      ]);
    }),
  );
  const body = Buffer.from(payload);
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(16 + head.length + body.length, 0);
  prelude.writeUInt32BE(head.length, 4);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
  const message = Buffer.concat([prelude, head, body]);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(message));
  return Buffer.concat([message, checksum]);
}

const matches = (key: string, text: string): boolean =>
  new RegExp(`^${key.replace(/[.?+^$()[\]{}|\\/]/g, '\\$&').replaceAll('*', '.*')}$`).test(text);

function answerOf(scenario: Scenario, call: AwsCall): Answer {
  const text = `${call.service} ${call.operation}`;
  const key = Object.hasOwn(scenario, text) ? text : Object.keys(scenario).find((each) => matches(each, text));
  const answer =
    key === undefined ? new Refusal('UnknownOperationException', `The scenario has no ${text}`, 404) : scenario[key];
  return typeof answer === 'function' ? answer(call) : (answer ?? {});
}

function format(
  { service, operation }: AwsCall,
  answer: Answer,
): { status: number; type: string; body: string | Buffer } {
  const isXml = QUERY.includes(service) || service === 'route53' || service === 's3';
  const type = isXml ? 'text/xml' : 'application/x-amz-json-1.1';
  if (Buffer.isBuffer(answer)) return { status: 200, type: 'application/vnd.amazon.eventstream', body: answer };
  if (answer instanceof Refusal) {
    const { code: Code, message: Message, status } = answer;
    const body = isXml
      ? xml.build({ ErrorResponse: { Error: { Type: 'Sender', Code, Message }, RequestId: 'r' } })
      : JSON.stringify({ __type: `com.amazonaws#${Code}`, message: Message });
    return { status, type, body };
  }
  if (QUERY.includes(service)) {
    return { status: 200, type, body: xml.build({ [`${operation}Response`]: { [`${operation}Result`]: answer } }) };
  }
  return { status: 200, type, body: isXml ? xml.build(answer) : JSON.stringify(answer) };
}

/** Starts the account with its answers, and a name server that delegates domains. */
export async function startAwsAccount(scenario: Scenario, delegations: Record<string, string[]>) {
  const alive = new Set<string>();
  const calls: AwsCall[] = [];
  const server = await listen(async (request, response) => {
    const body = await text(request);
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://aws');
    const scope = /Credential=([^/]+)\/\d{8}\/([^/]+)\/([^/]+)\/aws4_request/.exec(request.headers.authorization ?? '');
    const form = request.headers['content-type']?.startsWith('application/x-www-form-urlencoded');
    const input = form ? Object.fromEntries(new URLSearchParams(body)) : body.startsWith('{') ? JSON.parse(body) : {};
    const target = request.headers['x-amz-target'];
    const operation = target ? String(target).split('.')[1] : form ? input.Action : `${request.method} ${pathname}`;
    const call: AwsCall = {
      service: scope?.[3] ?? 'unsigned',
      region: scope?.[2] ?? '',
      operation: String(operation),
      key: scope?.[1] ?? '',
      input: { ...Object.fromEntries(searchParams), ...input },
    };
    calls.push(call);
    const answer = answerOf(scenario, call);
    const [, kind, effect] = LIFECYCLE.find(([pattern]) => pattern.test(`${call.service} ${call.operation}`)) ?? [];
    if (effect && !(answer instanceof Refusal)) alive[effect](kind === 'build' ? 'build' : `${kind} ${nameIn(call)}`);
    const { status, type, body: bytes } = format(call, answer);
    response.writeHead(status, { 'content-type': type, 'x-amzn-requestid': 'r' });
    response.end(request.method === 'HEAD' ? undefined : bytes);
  });
  const dns = createSocket('udp4');
  dns.bind(0, '127.0.0.1');
  await once(dns, 'listening');
  dns.on('message', (packet, from) => {
    const { id = 0, questions = [] } = decode(packet);
    const name = questions[0]?.name ?? '';
    const answers = (delegations[name] ?? []).map((data) => ({ type: 'NS' as const, name, ttl: 60, data }));
    dns.send(encode({ type: 'response', id, questions, answers }), from.port, from.address);
  });
  const address: AddressInfo = dns.address();
  return {
    url: server.url,
    dnsServer: `127.0.0.1:${address.port}`,
    /** Everything that was created and not deleted. */
    alive,
    calls,
    stop: async () => {
      dns.close();
      await server.stop();
    },
  };
}
