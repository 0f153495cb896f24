/** The parts of a key are joined with `#`; one inside a part is escaped, so that no two lists of parts ever collide. */
export const joinKey = (...parts: string[]): string =>
  parts.map((part) => part.replaceAll('%', '%25').replaceAll('#', '%23')).join('#');

/** The inverse of {@link joinKey}. */
export const splitKey = (key: string): string[] =>
  key.split('#').map((part) => part.replaceAll('%23', '#').replaceAll('%25', '%'));

/**
 * Returns a host name's place in a list of host names by their labels in reverse, so that a domain's subdomains sort behind
 * it. Names with the same last two labels share a partition.
 */
export const nameListKeys = (list: string, host: string) => {
  const labels = host.split('.');
  return { listPk: joinKey(list, labels.slice(-2).join('.')), listSk: labels.toReversed().join('.') };
};
