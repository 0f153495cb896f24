import { createSocket } from 'node:dgram';
import { createServer, type Socket } from 'node:net';
import { decode, encode, type OptAnswer, type Packet, TRUNCATED_RESPONSE } from 'dns-packet';
import { RCODE, resolve, type ZoneOf } from './dns-answers.ts';

export interface DnsServer {
  host: string;
  port: number;
  stop(): Promise<void>;
}

/** Maximum packet sizes over UDP: by default, and for clients that announce a larger one. */
const DEFAULT_UDP_BYTES = 512;
const MAX_UDP_BYTES = 4096;
/** Idle time in milliseconds after which a TCP connection is closed. */
const IDLE_TIMEOUT_MS = 10_000;

/**
 * Returns true for a response. Responses are never answered, because two servers could otherwise answer each other endlessly.
 */
const isResponse = (packet: Buffer): boolean => packet.length > 2 && ((packet[2] ?? 0) & 0x80) !== 0;

const opcodeOf = (packet: Buffer): number => ((packet[2] ?? 0) >> 3) & 0xf;

/** Returns the answer to a packet that cannot be parsed beyond its header. */
function toHeaderResponse(packet: Buffer, rcode: number): Buffer {
  const head = Buffer.alloc(12);
  packet.copy(head, 0, 0, 4);
  head[2] = ((packet[2] ?? 0) & 0x79) | 0x80;
  head[3] = rcode;
  return head;
}

const CLASSES = ['IN', 'ANY'];

/** The server's UDP size, sent to clients that announce theirs. */
const OPTIONS: OptAnswer = {
  type: 'OPT',
  name: '.',
  udpPayloadSize: MAX_UDP_BYTES,
  extendedRcode: 0,
  ednsVersion: 0,
  flags: 0,
  flag_do: false,
  options: [],
};

function answerQuery(query: Packet, zoneOf: ZoneOf): Packet {
  const { id = 0, questions = [] } = query;
  const [question] = questions;
  const clientOptions = query.additionals?.find(({ type }) => type === 'OPT');
  const base: Packet = { type: 'response', id, questions, additionals: clientOptions ? [OPTIONS] : [] };
  const failure = (rcode: number): Packet => ({ ...base, flags: rcode });
  if (!question || questions.length > 1) return failure(RCODE.FORMERR);
  if (!CLASSES.includes(question.class ?? 'IN') || question.type === 'AXFR' || question.type === 'IXFR') {
    return failure(RCODE.REFUSED);
  }
  return { ...base, ...resolve(zoneOf, question.name, question.type) };
}

/** Returns the answer's bytes; undefined if the packet must not be answered. Never throws. */
function toResponse(packet: Buffer, zoneOf: ZoneOf, maxBytes = Number.POSITIVE_INFINITY): Buffer | undefined {
  if (packet.length < 12 || isResponse(packet)) return undefined;
  if (opcodeOf(packet) !== 0) return toHeaderResponse(packet, RCODE.NOTIMP);
  let query: Packet;
  try {
    query = decode(packet);
  } catch {
    return toHeaderResponse(packet, RCODE.FORMERR);
  }
  try {
    const answer = answerQuery(query, zoneOf);
    // Copies the recursion-desired flag.
    answer.flags = (answer.flags ?? 0) | ((query.flags ?? 0) & 0x0100);
    const bytes = encode(answer);
    if (bytes.length <= maxBytes) return bytes;
    return encode({ ...answer, answers: [], authorities: [], flags: (answer.flags ?? 0) | TRUNCATED_RESPONSE });
  } catch (error) {
    console.error(error);
    return toHeaderResponse(packet, RCODE.SERVFAIL);
  }
}

/** Returns the maximum UDP answer size that the client accepts, in bytes. */
function maxUdpSize(packet: Buffer): number {
  try {
    const opt = decode(packet).additionals?.find(({ type }) => type === 'OPT');
    const size = opt && 'udpPayloadSize' in opt ? Number(opt.udpPayloadSize) : DEFAULT_UDP_BYTES;
    return Math.min(MAX_UDP_BYTES, Math.max(DEFAULT_UDP_BYTES, size));
  } catch {
    return DEFAULT_UDP_BYTES;
  }
}

/**
 * Serves a TCP connection, in which each message is preceded by its length and several messages may follow each other.
 */
function serve(socket: Socket, zoneOf: ZoneOf): void {
  let buffered = Buffer.alloc(0);
  socket.setTimeout(IDLE_TIMEOUT_MS, () => socket.destroy());
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk: Buffer) => {
    buffered = Buffer.concat([buffered, chunk]);
    while (buffered.length >= 2 && buffered.length >= 2 + buffered.readUInt16BE()) {
      const end = 2 + buffered.readUInt16BE();
      const answer = toResponse(buffered.subarray(2, end), zoneOf);
      buffered = buffered.subarray(end);
      if (!answer || answer.length > 65_535) {
        socket.destroy();
        return;
      }
      const length = Buffer.alloc(2);
      length.writeUInt16BE(answer.length);
      socket.write(Buffer.concat([length, answer]));
    }
  });
}

/** Starts an authoritative name server for the Route 53 emulator's zones, over UDP and TCP on one port of 127.0.0.1. */
export async function startDnsServer({ port, zoneOf }: { port: number; zoneOf: ZoneOf }): Promise<DnsServer> {
  const host = '127.0.0.1';
  const sockets = new Set<Socket>();
  const tcp = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    serve(socket, zoneOf);
  });
  await new Promise<void>((ready, fail) => {
    tcp.once('error', fail);
    tcp.listen(port, host, ready);
  });
  const address = tcp.address();
  const boundPort = address !== null && typeof address === 'object' ? address.port : port;
  const udp = createSocket('udp4');
  await new Promise<void>((ready, fail) => {
    udp.once('error', fail);
    udp.bind(boundPort, host, ready);
  });
  udp.on('error', (error) => console.error(error));
  udp.on('message', (packet, from) => {
    const answer = toResponse(packet, zoneOf, maxUdpSize(packet));
    // The client may have disconnected; the error is ignored.
    if (answer) udp.send(answer, from.port, from.address, () => {});
  });
  return {
    host,
    port: boundPort,
    async stop() {
      for (const socket of sockets) socket.destroy();
      await Promise.all([
        new Promise<void>((done) => udp.close(() => done())),
        new Promise<void>((done) => tcp.close(() => done())),
      ]);
    },
  };
}
