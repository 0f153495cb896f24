import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';

/**
 * X.509 certificates for the local run and for tests. They are created on demand, so that the repository contains no keys and the machine
 * needs no tools. Implements the required subset of DER (ITU X.690; RFC 5280).
 */

const tlv = (tag: number, ...parts: Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  const { length } = body;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), body]);
};
const sequence = (...parts: Buffer[]) => tlv(0x30, ...parts);
const oid = (hex: string) => tlv(0x06, Buffer.from(hex, 'hex'));
const integer = (bytes: Buffer) => tlv(0x02, bytes);
const octets = (content: Buffer) => tlv(0x04, content);
const bits = (content: Buffer) => tlv(0x03, Buffer.from([0]), content);
const booleanTrue = tlv(0x01, Buffer.from([0xff]));
const time = (at: number) =>
  tlv(0x18, Buffer.from(new Date(at).toISOString().replaceAll(/[-:T]|\.\d+/g, ''), 'latin1'));

const ECDSA_WITH_SHA256 = sequence(oid('2a8648ce3d040302'));
const nameOf = (commonName: string) => sequence(tlv(0x31, sequence(oid('550403'), tlv(0x0c, Buffer.from(commonName)))));
const basicConstraints = sequence(oid('551d13'), booleanTrue, octets(sequence(booleanTrue)));
/** Encodes a DNS name or an IPv4 address. */
const alternative = (name: string) =>
  isIP(name) === 4 ? tlv(0x87, Buffer.from(name.split('.').map(Number))) : tlv(0x82, Buffer.from(name));
const alternativeNames = (names: readonly string[]) =>
  sequence(oid('551d11'), octets(sequence(...names.map(alternative))));

interface Signer {
  name: string;
  key: KeyObject;
}

const DAY = 86_400_000;
const newKeys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });

function certificate(
  publicKey: KeyObject,
  subject: string,
  issuer: Signer,
  extension: Buffer,
  days: readonly number[],
) {
  const [from = 0, until = 0] = days.map((day) => Date.now() + day * DAY);
  const body = sequence(
    tlv(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ECDSA_WITH_SHA256,
    nameOf(issuer.name),
    sequence(time(from), time(until)),
    nameOf(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    tlv(0xa3, sequence(extension)),
  );
  const der = sequence(body, ECDSA_WITH_SHA256, bits(sign('sha256', body, issuer.key)));
  const text = der.toString('base64').replaceAll(/.{64}/g, '$&\n').trim();
  return `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n`;
}

export interface Identity {
  /** PEM. */
  key: string;
  /** PEM. */
  cert: string;
}

/** Issues a certificate for DNS names and IPv4 addresses. The days are relative to now. */
type Issue = (names: readonly string[], days?: readonly [from: number, until: number]) => Identity;

const identity = (names: readonly string[], days: readonly number[], issuer?: Signer): Identity => {
  const { publicKey, privateKey } = newKeys();
  const [name = 'unnamed'] = names;
  const signer = issuer ?? { name, key: privateKey };
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: certificate(publicKey, name, signer, alternativeNames(names), days),
  };
};

/** Creates a self-signed certificate. */
export const selfSigned: Issue = (names, days = [-1, 1]) => identity(names, days);

/** Creates a certificate authority. */
export function newAuthority(name: string): { cert: string; issue: Issue } {
  const { publicKey, privateKey } = newKeys();
  const signer = { name, key: privateKey };
  return {
    cert: certificate(publicKey, name, signer, basicConstraints, [-1, 1]),
    issue: (names, days = [-1, 1]) => identity(names, days, signer),
  };
}
