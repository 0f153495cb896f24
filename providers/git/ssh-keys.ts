import { generateKeyPairSync, randomBytes } from 'node:crypto';

/** An Ed25519 key pair as OpenSSH writes it. */
export interface SshKeyPair {
  /** One line: `ssh-ed25519 AAAA… comment`. */
  publicKey: string;
  /** The text of an `id_ed25519` file, without a passphrase. */
  privateKey: string;
}

const TYPE = 'ssh-ed25519';
/** The unencrypted private part is padded to a multiple of this. */
const BLOCK = 8;
const LINE = 70;

const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
/** A string as SSH has it (RFC 4251, 5): its length, then its bytes. */
const string = (value: string | Buffer): Buffer => {
  const bytes = Buffer.from(value);
  return Buffer.concat([uint32(bytes.length), bytes]);
};

/** Makes a key pair. Source of the formats: RFC 8709 and OpenSSH's PROTOCOL.key. */
export function newSshKeyPair(comment: string): SshKeyPair {
  const { privateKey: key } = generateKeyPairSync('ed25519');
  const { x = '', d = '' } = key.export({ format: 'jwk' });
  const [point, seed] = [Buffer.from(x, 'base64url'), Buffer.from(d, 'base64url')];
  const publicBlob = Buffer.concat([string(TYPE), string(point)]);
  // The same number twice: whoever decrypts an encrypted one sees by it that the passphrase was right.
  const check = randomBytes(4);
  const secret = Buffer.concat([check, check, publicBlob, string(Buffer.concat([seed, point])), string(comment)]);
  const padding = Buffer.from(Array.from({ length: (BLOCK - (secret.length % BLOCK)) % BLOCK }, (_, at) => at + 1));
  const file = Buffer.concat([
    Buffer.from('openssh-key-v1\0'),
    ...[string('none'), string('none'), string('')],
    uint32(1),
    string(publicBlob),
    string(Buffer.concat([secret, padding])),
  ]);
  const lines = file.toString('base64').match(new RegExp(`.{1,${LINE}}`, 'g')) ?? [];
  return {
    publicKey: `${TYPE} ${publicBlob.toString('base64')} ${comment}`,
    privateKey: ['-----BEGIN OPENSSH PRIVATE KEY-----', ...lines, '-----END OPENSSH PRIVATE KEY-----', ''].join('\n'),
  };
}
