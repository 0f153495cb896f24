/** A DNS label holds 63 characters; this leaves room for a suffix. */
const MAX_SLUG_LENGTH = 50;

/**
 * Returns the first label of an application's address: its name in lower case, without accents, every run of other characters
 * a `-`. Where that is taken or reserved, the address has a random suffix.
 */
export const toSlug = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_SLUG_LENGTH)
    .replace(/^-+|-+$/g, '') || 'app';
