import * as z from 'zod/mini';

/** Maximum length of a host name in characters (RFC 1035, section 2.3.4: 255 octets on the wire). */
export const MAX_HOST_NAME_LENGTH = 253;

/** One label: 1 to 63 letters, digits and hyphens, with no hyphen at either end (RFC 1123, section 2.1). */
const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;

/** One label of a DNS name: also underscores, which services and challenges use (RFC 8552). */
const DNS_LABEL = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/;

/** A decimal or hexadecimal number: URL parsers read a name that ends in one as an IPv4 address (URL Standard, section 3.5). */
const NUMBER = /^(\d+|0x[\da-f]*)$/;

function isName(text: string, isLabelOf: (label: string) => boolean): boolean {
  const labels = text.split('.');
  return (
    text.length <= MAX_HOST_NAME_LENGTH &&
    labels.length >= 2 &&
    labels.every(isLabelOf) &&
    !NUMBER.test(labels.at(-1) ?? '')
  );
}

/**
 * Returns true for a host name, by the one rule of the platform (RFC 1123 and RFC 5890): at least two labels in lower case,
 * separated by dots, 253 characters at most. A label has 1 to 63 letters, digits and hyphens, with no hyphen at either end;
 * the last one is not a number. Internationalised names are written in ASCII (`xn--…`). A dot at the end is the caller's to remove.
 */
export const isHostName = (text: string): boolean => isName(text, (label) => LABEL.test(label));

/** Returns true for a name that DNS can hold and URLs can point to: {@link isHostName}, and `_` in any label. */
export const isDnsName = (text: string): boolean => isName(text, isDnsLabel);

/** Returns true for one label of a DNS name in lower case. */
export const isDnsLabel = (label: string): boolean => DNS_LABEL.test(label);

/** Returns true for a label that can be registered. Internationalised names are not sold, in either spelling. */
export const isRegistrable = (label: string): boolean => LABEL.test(label) && !label.startsWith('xn--');

/** A host name as callers may write it; read in lower case. */
export const HostName = () =>
  z
    .string()
    .check(
      z.trim(),
      z.toLowerCase(),
      z.maxLength(MAX_HOST_NAME_LENGTH),
      z.refine(isHostName, {
        error: ({ input }) =>
          /[\u0080-\uffff]/.test(String(input))
            ? 'must be a domain name in ASCII, written as xn--…'
            : 'must be a domain name',
      }),
    )
    .register(z.globalRegistry, { format: 'hostname' });

/** A host name that may end in a dot, as in zone files; read without it. */
export const AbsoluteHostName = () =>
  z
    .string()
    .check(
      z.trim(),
      z.toLowerCase(),
      z.overwrite((name) => name.replace(/\.$/, '')),
      z.refine(isHostName, 'must be a host name, e.g. ns1.example.net'),
    )
    .register(z.globalRegistry, { format: 'hostname' });
