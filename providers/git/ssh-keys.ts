import { generateKeyPairSync, randomBytes } from 'node:crypto';

/** An Ed25519 key pair in OpenSSH's formats. */
export interface SshKeyPair {
  /** One line: `ssh-ed25519 AAAA… comment`. */
  publicKey: string;
  /** The text of an `id_ed25519` file, without a passphrase. */
  privateKey: string;
}

const TYPE = 'ssh-ed25519';
/** The unencrypted private part is padded to a multiple of this. */
const BLOCK = 8;
const LINE_LENGTH = 70;

const encodeUint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
/** Encodes an SSH string (RFC 4251, section 5): its length, then its bytes. */
const encodeString = (value: string | Buffer): Buffer => {
  const bytes = Buffer.from(value);
  return Buffer.concat([encodeUint32(bytes.length), bytes]);
};

/** Generates a key pair. Source of the formats: RFC 8709 and OpenSSH's PROTOCOL.key. */
export function newSshKeyPair(comment: string): SshKeyPair {
  const { privateKey: key } = generateKeyPairSync('ed25519');
  const { x = '', d = '' } = key.export({ format: 'jwk' });
  const [point, seed] = [Buffer.from(x, 'base64url'), Buffer.from(d, 'base64url')];
  const publicBlob = Buffer.concat([encodeString(TYPE), encodeString(point)]);
  // The format repeats this number so that readers of an encrypted key can verify the passphrase.
  const check = randomBytes(4);
  const secret = Buffer.concat([
    check,
    check,
    publicBlob,
    encodeString(Buffer.concat([seed, point])),
    encodeString(comment),
  ]);
  const padding = Buffer.from(Array.from({ length: (BLOCK - (secret.length % BLOCK)) % BLOCK }, (_, at) => at + 1));
  const file = Buffer.concat([
    Buffer.from('openssh-key-v1\0'),
    encodeString('none'),
    encodeString('none'),
    encodeString(''),
    encodeUint32(1),
    encodeString(publicBlob),
    encodeString(Buffer.concat([secret, padding])),
  ]);
  const lines = file.toString('base64').match(new RegExp(`.{1,${LINE_LENGTH}}`, 'g')) ?? [];
  return {
    publicKey: `${TYPE} ${publicBlob.toString('base64')} ${comment}`,
    privateKey: ['-----BEGIN OPENSSH PRIVATE KEY-----', ...lines, '-----END OPENSSH PRIVATE KEY-----', ''].join('\n'),
  };
}
