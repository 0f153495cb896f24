/** Special packets without data: the end of a message, of a section, and of a response. */
export type Mark = 'flush' | 'delimiter' | 'end';
export type Packet = Buffer | Mark;

const LENGTH_DIGITS = 4;
const MARKS: readonly Mark[] = ['flush', 'delimiter', 'end'];

/** A response is not in the pkt-line format. */
export class InvalidPackets extends Error {}

/** Encodes a line of a request. Source: https://git-scm.com/docs/gitprotocol-common (pkt-line format). */
const encodeLine = (text: string): string =>
  `${(Buffer.byteLength(text) + LENGTH_DIGITS + 1).toString(16).padStart(LENGTH_DIGITS, '0')}${text}\n`;

/** Encodes a command of protocol version 2 with its arguments. Source: https://git-scm.com/docs/gitprotocol-v2. */
export const encodeCommand = (command: string, lines: readonly string[]): string =>
  `${encodeLine(`command=${command}`)}0001${lines.map(encodeLine).join('')}0000`;

/** Splits a response into its packets. Throws {@link InvalidPackets} if it is incomplete or not in the pkt-line format. */
export function decodePackets(bytes: Buffer): Packet[] {
  const packets: Packet[] = [];
  for (let at = 0; at < bytes.length; ) {
    const digits = bytes.toString('latin1', at, at + LENGTH_DIGITS);
    if (!/^[0-9a-f]{4}$/i.test(digits)) throw new InvalidPackets(`no length at ${at}`);
    const length = Number.parseInt(digits, 16);
    const mark = MARKS[length];
    if (mark === undefined && (length < LENGTH_DIGITS || at + length > bytes.length)) {
      throw new InvalidPackets(`a packet of ${length} bytes at ${at} of ${bytes.length}`);
    }
    packets.push(mark ?? bytes.subarray(at + LENGTH_DIGITS, at + length));
    at += mark === undefined ? length : LENGTH_DIGITS;
  }
  return packets;
}

/** Returns the text of all data packets, without line ends. */
export const linesOf = (packets: readonly Packet[]): string[] =>
  packets.flatMap((packet) => (typeof packet === 'string' ? [] : [packet.toString('utf8').replace(/\n$/, '')]));
