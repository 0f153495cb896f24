import type { Context, Sealed, Secrets } from '../../providers/encryption/secrets.ts';
import { readThrough } from './cache.ts';

/** Decrypted secrets by ciphertext. A KMS call for each use would be too expensive. */
const decryptedSecrets = readThrough<string>({ max: 2000 });

/** Decrypts a secret, given the context that it was sealed with. */
export const openSecret = ({ secrets }: { secrets: Secrets }, context: Context, sealed: Sealed): Promise<string> =>
  decryptedSecrets(sealed.ciphertext, () => secrets.unseal(context, sealed));
