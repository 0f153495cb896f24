import type { Context, Sealed, Secrets } from '../../providers/encryption/secrets.ts';
import { readThrough } from './cache.ts';

/** Decrypted secrets of this warm instance, by ciphertext: a KMS call for each use would cost too much. */
const decryptedSecrets = readThrough<string>({ max: 2000 });

/** Returns a sealed secret in plain text, given the context that it was sealed with. */
export const openSecret = ({ secrets }: { secrets: Secrets }, context: Context, sealed: Sealed): Promise<string> =>
  decryptedSecrets(sealed.ciphertext, () => secrets.unseal(context, sealed));
