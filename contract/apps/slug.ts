/** The maximum length of a label of a DNS name, in characters. */
const MAX_LABEL_LENGTH = 63;

/** Returns the beginning of a slug that has at most this many characters and ends with a letter or a digit. */
const cutTo = (slug: string, length: number): string => slug.slice(0, length).replace(/-+$/, '');

/**
 * Returns the slug for an application's name: in lower case, without accents, with every run of other characters replaced by `-`.
 * If the slug is taken or reserved, the caller appends a random suffix.
 */
export const toSlug = (name: string): string => {
  const words = name.normalize('NFKD').toLowerCase().replace(/\p{M}/gu, '');
  return cutTo(words.replace(/[^a-z0-9]+/g, '-').replace(/^-/, ''), MAX_LABEL_LENGTH) || 'app';
};

/** Returns a slug with a suffix, which shortens a long slug so that both fit into the label of a DNS name. */
export const withSuffix = (slug: string, suffix: string): string =>
  cutTo(slug, MAX_LABEL_LENGTH - suffix.length) + suffix;
