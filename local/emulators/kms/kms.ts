import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import * as z from 'zod';
import { keyFromFile } from '../key-file.ts';
import { type Emulator, type EmulatorOptions, jsonOperations, parse, ServiceError, serve } from '../wire.ts';

const Context = z.record(z.string(), z.string()).default({});
const Base64 = z.base64().transform((text) => Buffer.from(text, 'base64'));
const KeyId = z.string().min(1).max(2048);

const GenerateDataKey = z.object({
  KeyId,
  EncryptionContext: Context,
  KeySpec: z.enum(['AES_256', 'AES_128']).optional(),
  NumberOfBytes: z.number().int().min(1).max(1024).optional(),
});
const Encrypt = z.object({ KeyId, EncryptionContext: Context, Plaintext: Base64 });
const Decrypt = z.object({ KeyId: KeyId.optional(), EncryptionContext: Context, CiphertextBlob: Base64 });

/** Layout of a ciphertext blob: length of the key id (2 bytes), key id, IV_BYTES (12), tag (16), ciphertext. */
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Starts an emulator of AWS KMS: GenerateDataKey, Encrypt and Decrypt with symmetric keys. Every key id exists and has
 * its own key, derived from one master key in a file that only the owner may read. The encryption context is
 * authenticated, as in KMS.
 */
export async function startKms({ dataDir, port }: EmulatorOptions): Promise<Emulator> {
  const master = keyFromFile(join(dataDir, 'kms'), 'master.key');
  const keyOf = (id: string) => createHmac('sha256', master).update(id).digest();

  const encrypt = (keyId: string, context: Record<string, string>, plaintext: Buffer): Buffer => {
    const id = Buffer.from(keyId);
    const length = Buffer.alloc(2);
    length.writeUInt16BE(id.length);
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', keyOf(keyId), iv).setAAD(canonicalize(context));
    const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()]);
    return Buffer.concat([length, id, iv, cipher.getAuthTag(), ciphertext]);
  };

  const decrypt = (blob: Buffer, context: Record<string, string>, expected: string | undefined) => {
    const keyId = keyIdOf(blob);
    if (keyId === undefined) throw invalidCiphertext();
    const start = 2 + blob.readUInt16BE();
    if (expected !== undefined && expected !== keyId) {
      throw new ServiceError(
        'IncorrectKeyException',
        'The key ID in the request does not identify a CMK that can perform this operation.',
      );
    }
    const decipher = createDecipheriv('aes-256-gcm', keyOf(keyId), blob.subarray(start, start + IV_BYTES))
      .setAAD(canonicalize(context))
      .setAuthTag(blob.subarray(start + IV_BYTES, start + IV_BYTES + TAG_BYTES));
    try {
      return {
        keyId,
        plaintext: Buffer.concat([decipher.update(blob.subarray(start + IV_BYTES + TAG_BYTES)), decipher.final()]),
      };
    } catch {
      throw invalidCiphertext();
    }
  };

  return serve(
    port,
    'application/x-amz-json-1.1',
    jsonOperations({
      GenerateDataKey(body) {
        const input = parse(GenerateDataKey, body);
        if ((input.KeySpec === undefined) === (input.NumberOfBytes === undefined)) {
          throw new ServiceError('ValidationException', 'Please specify either number of bytes or key spec.');
        }
        const plaintext = randomBytes(input.NumberOfBytes ?? (input.KeySpec === 'AES_128' ? 16 : 32));
        return {
          KeyId: input.KeyId,
          Plaintext: plaintext.toString('base64'),
          CiphertextBlob: encrypt(input.KeyId, input.EncryptionContext, plaintext).toString('base64'),
        };
      },
      Encrypt(body) {
        const input = parse(Encrypt, body);
        if (input.Plaintext.length < 1 || input.Plaintext.length > 4096) {
          throw new ServiceError('ValidationException', "Value at 'plaintext' must have a length of 1 to 4096.");
        }
        const blob = encrypt(input.KeyId, input.EncryptionContext, input.Plaintext);
        return {
          KeyId: input.KeyId,
          CiphertextBlob: blob.toString('base64'),
          EncryptionAlgorithm: 'SYMMETRIC_DEFAULT',
        };
      },
      Decrypt(body) {
        const input = parse(Decrypt, body);
        const { keyId, plaintext } = decrypt(input.CiphertextBlob, input.EncryptionContext, input.KeyId);
        return { KeyId: keyId, Plaintext: plaintext.toString('base64'), EncryptionAlgorithm: 'SYMMETRIC_DEFAULT' };
      },
    }),
  );
}

/** Returns the id of the key that encrypted a blob; undefined if the blob is malformed. */
export const keyIdOf = (blob: Buffer): string | undefined =>
  blob.length < 2 || blob.length < 2 + blob.readUInt16BE() + IV_BYTES + TAG_BYTES
    ? undefined
    : blob.subarray(2, 2 + blob.readUInt16BE()).toString();

// KMS returns this error for a wrong encryption context too, without a message.
const invalidCiphertext = () => new ServiceError('InvalidCiphertextException', '');

/** Serializes an encryption context in a form that does not depend on the order of its keys. */
const canonicalize = (context: Record<string, string>) =>
  Buffer.from(JSON.stringify(Object.entries(context).sort(([a], [b]) => (a < b ? -1 : 1))));
