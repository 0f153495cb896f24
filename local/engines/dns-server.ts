import { createSocket } from 'node:dgram';
import { createServer, type Socket } from 'node:net';
import { decode, encode, type OptAnswer, type Packet, TRUNCATED_RESPONSE } from 'dns-packet';
import { RCODE, resolve, type ZoneOf } from './dns-answers.ts';

export interface DnsServer {
  host: string;
  port: number;
  stop(): Promise<void>;
}

/** What a packet holds over UDP: without word from the asker, and at most. */
const UDP_USUAL = 512;
const UDP_MOST = 4096;
/** A connection that says nothing for this long is closed, in milliseconds. */
const IDLE = 10_000;

/** No answer to what is no question: it may be another server's, and we two would never end. */
const isResponse = (packet: Buffer): boolean => packet.length > 2 && ((packet[2] ?? 0) & 0x80) !== 0;

const opcodeOf = (packet: Buffer): number => ((packet[2] ?? 0) >> 3) & 0xf;

/** The answer to a packet that makes no sense beyond its head. */
function headOnly(packet: Buffer, rcode: number): Buffer {
  const head = Buffer.alloc(12);
  packet.copy(head, 0, 0, 4);
  head[2] = ((packet[2] ?? 0) & 0x79) | 0x80;
  head[3] = rcode;
  return head;
}

const CLASSES = ['IN', 'ANY'];

/** What we take over UDP, said to those who say what they take. */
const OPTIONS: OptAnswer = {
  ...{ type: 'OPT', name: '.', udpPayloadSize: UDP_MOST, extendedRcode: 0, ednsVersion: 0 },
  ...{ flags: 0, flag_do: false, options: [] },
};

function answerTo(query: Packet, zoneOf: ZoneOf): Packet {
  const { id = 0, questions = [] } = query;
  const [question] = questions;
  const asked = query.additionals?.find(({ type }) => type === 'OPT');
  const base: Packet = { type: 'response', id, questions, additionals: asked ? [OPTIONS] : [] };
  const say = (rcode: number): Packet => ({ ...base, flags: rcode });
  if (!question || questions.length > 1) return say(RCODE.FORMERR);
  if (!CLASSES.includes(question.class ?? 'IN') || question.type === 'AXFR' || question.type === 'IXFR') {
    return say(RCODE.REFUSED);
  }
  return { ...base, ...resolve(zoneOf, question.name, question.type) };
}

/** The answer's bytes; undefined where there is none to give. Never throws, whatever the packet. */
function answered(packet: Buffer, zoneOf: ZoneOf, most?: number): Buffer | undefined {
  if (packet.length < 12 || isResponse(packet)) return undefined;
  if (opcodeOf(packet) !== 0) return headOnly(packet, RCODE.NOTIMP);
  let query: Packet;
  try {
    query = decode(packet);
  } catch {
    return headOnly(packet, RCODE.FORMERR);
  }
  try {
    const answer = answerTo(query, zoneOf);
    // Whether recursion was wanted is said back.
    answer.flags = (answer.flags ?? 0) | ((query.flags ?? 0) & 0x0100);
    const bytes = encode(answer);
    const limit = most ?? Number.POSITIVE_INFINITY;
    if (bytes.length <= limit) return bytes;
    return encode({ ...answer, answers: [], authorities: [], flags: (answer.flags ?? 0) | TRUNCATED_RESPONSE });
  } catch (error) {
    console.error(error);
    return headOnly(packet, RCODE.SERVFAIL);
  }
}

/** How long an answer the asker takes over UDP. */
function sizeTaken(packet: Buffer): number {
  try {
    const opt = decode(packet).additionals?.find(({ type }) => type === 'OPT');
    const size = opt && 'udpPayloadSize' in opt ? Number(opt.udpPayloadSize) : UDP_USUAL;
    return Math.min(UDP_MOST, Math.max(UDP_USUAL, size));
  } catch {
    return UDP_USUAL;
  }
}

/** Messages over TCP have their length before them; several may come over one connection. */
function serve(socket: Socket, zoneOf: ZoneOf): void {
  let waiting = Buffer.alloc(0);
  socket.setTimeout(IDLE, () => socket.destroy());
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk: Buffer) => {
    waiting = Buffer.concat([waiting, chunk]);
    while (waiting.length >= 2 && waiting.length >= 2 + waiting.readUInt16BE()) {
      const end = 2 + waiting.readUInt16BE();
      const answer = answered(waiting.subarray(2, end), zoneOf);
      waiting = waiting.subarray(end);
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

/** An authoritative name server for the stand-in's zones, over UDP and TCP on one port of 127.0.0.1. */
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
  const taken = address !== null && typeof address === 'object' ? address.port : port;
  const udp = createSocket('udp4');
  await new Promise<void>((ready, fail) => {
    udp.once('error', fail);
    udp.bind(taken, host, ready);
  });
  udp.on('error', (error) => console.error(error));
  udp.on('message', (packet, from) => {
    const answer = answered(packet, zoneOf, sizeTaken(packet));
    // Who asked may be gone by now: that is nobody's fault.
    if (answer) udp.send(answer, from.port, from.address, () => {});
  });
  return {
    host,
    port: taken,
    async stop() {
      for (const socket of sockets) socket.destroy();
      await Promise.all([
        new Promise<void>((done) => udp.close(() => done())),
        new Promise<void>((done) => tcp.close(() => done())),
      ]);
    },
  };
}
