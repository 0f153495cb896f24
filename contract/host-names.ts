/** One label of a host name: letters, digits and hyphens, none at an end (RFC 1123). */
const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;

/** A host name in lower case, of at least two labels, its last one not a number (that would be an address). */
export function isHostName(text: string): boolean {
  const labels = text.split('.');
  const last = labels.at(-1) ?? '';
  return text.length <= 253 && labels.length >= 2 && labels.every((label) => LABEL.test(label)) && !/^\d+$/.test(last);
}

/** A label that can be registered. Internationalised names are not sold, whichever way they are spelled. */
export const isRegistrable = (label: string): boolean => LABEL.test(label) && !label.startsWith('xn--');
