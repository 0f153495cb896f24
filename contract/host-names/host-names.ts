import * as z from 'zod/mini';

/** Maximum length of a host name in characters (RFC 1035, section 2.3.4: 255 octets on the wire). */
export const MAX_HOST_NAME_LENGTH = 253;

/** One label: 1 to 63 letters, digits and hyphens, with no hyphen at either end (RFC 1123, section 2.1). */
const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;

/** One label of a DNS name, which may also contain underscores for services and challenges (RFC 8552). */
const DNS_LABEL = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/;

/** A decimal or hexadecimal number: URL parsers read a name that ends in one as an IPv4 address (URL Standard, section 3.5). */
const NUMBER = /^(\d+|0x[\da-f]*)$/;

function isName(text: string, isLabel: (label: string) => boolean): boolean {
  const labels = text.split('.');
  return (
    text.length <= MAX_HOST_NAME_LENGTH &&
    labels.length >= 2 &&
    labels.every(isLabel) &&
    !NUMBER.test(labels.at(-1) ?? '')
  );
}

/**
 * Returns true for a host name. This is the platform's only rule for host names (RFC 1123 and RFC 5890): at least two lowercase
 * labels, separated by dots, at most 253 characters. A label has 1 to 63 letters, digits and hyphens, without a hyphen at either
 * end; the last label is not a number. Internationalized names are in ASCII (`xn--…`). The caller removes a trailing dot.
 */
export const isHostName = (text: string): boolean => isName(text, (label) => LABEL.test(label));

/** Returns true for a name that is valid in DNS and in URLs: {@link isHostName} with `_` allowed in any label. */
export const isDnsName = (text: string): boolean => isName(text, isDnsLabel);

/** Returns true for one label of a DNS name in lower case. */
export const isDnsLabel = (label: string): boolean => DNS_LABEL.test(label);

/** Returns true for a label that can be registered. The platform does not sell internationalized names, in either spelling. */
export const isRegistrable = (label: string): boolean => LABEL.test(label) && !label.startsWith('xn--');

/** A host name in a request. It is trimmed and lowercased. */
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

/** A host name that may end in a dot, as in zone files. The dot is removed. */
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
