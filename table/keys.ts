/** The parts of a key are joined with `#`; one inside a part is escaped, so that no two lists of parts ever collide. */
export const joinKey = (...parts: string[]): string =>
  parts.map((part) => part.replaceAll('%', '%25').replaceAll('#', '%23')).join('#');

/** The inverse of {@link joinKey}. */
export const splitKey = (key: string): string[] =>
  key.split('#').map((part) => part.replaceAll('%23', '#').replaceAll('%25', '%'));
