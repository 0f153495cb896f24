/** Joins the parts of a key with `#`. A `#` inside a part is escaped, so that different parts never result in the same key. */
export const joinKey = (...parts: string[]): string =>
  parts.map((part) => part.replaceAll('%', '%25').replaceAll('#', '%23')).join('#');

/**
 * Returns the list attributes of a host name in a list that is sorted by reversed labels, so that the subdomains of a domain follow it.
 * Names with the same last two labels share a partition.
 */
export const nameListKeys = (list: string, host: string) => {
  const labels = host.split('.');
  return { listPk: joinKey(list, labels.slice(-2).join('.')), listSk: labels.toReversed().join('.') };
};
