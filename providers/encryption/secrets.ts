import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** A text encrypted with its own data key. KMS wraps that key with an encryption context, and the same context is required to unwrap it. */
export interface Sealed {
  /** The wrapped data key, base64. */
  wrappedKey: string;
  iv: string;
  /** AES-256-GCM with the 16-byte tag appended, base64. */
  ciphertext: string;
}

export type Context = Record<string, string>;

export interface Secrets {
  seal(context: Context, plaintext: string): Promise<Sealed>;
  unseal(context: Context, sealed: Sealed): Promise<string>;
}

type CallKms = <Output>(operation: string, input: object) => Promise<Output>;

const TAG_BYTES = 16;

/** Envelope encryption with AWS KMS: one call for each text, whatever its length. */
export function createSecrets(callKms: CallKms, keyArn: string): Secrets {
  return {
    async seal(EncryptionContext, plaintext) {
      const { Plaintext, CiphertextBlob } = await callKms<{ Plaintext: string; CiphertextBlob: string }>(
        'GenerateDataKey',
        { KeyId: keyArn, KeySpec: 'AES_256', EncryptionContext },
      );
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', Buffer.from(Plaintext, 'base64'), iv);
      const ciphertext = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return {
        wrappedKey: CiphertextBlob,
        iv: iv.toString('base64'),
        ciphertext: ciphertext.toString('base64'),
      };
    },

    async unseal(EncryptionContext, { wrappedKey, iv, ciphertext }) {
      const { Plaintext } = await callKms<{ Plaintext: string }>('Decrypt', {
        CiphertextBlob: wrappedKey,
        EncryptionContext,
      });
      const bytes = Buffer.from(ciphertext, 'base64');
      const decipher = createDecipheriv('aes-256-gcm', Buffer.from(Plaintext, 'base64'), Buffer.from(iv, 'base64'));
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      return Buffer.concat([decipher.update(bytes.subarray(0, -TAG_BYTES)), decipher.final()]).toString('utf8');
    },
  };
}
