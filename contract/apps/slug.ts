/** The maximum length of a slug. A DNS label has at most 63 characters, so this leaves room for a suffix. */
const MAX_SLUG_LENGTH = 50;

/**
 * Returns the slug for an application's name: in lower case, without accents, with every run of other characters replaced by `-`.
 * If the slug is taken or reserved, the caller appends a random suffix.
 */
export const toSlug = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_SLUG_LENGTH)
    .replace(/^-+|-+$/g, '') || 'app';
