/**
 * Returns the first characters of a text. None is halved: half of a pair of surrogates is no Unicode, which mail servers and JSON
 * parsers of other languages refuse (RFC 8259, section 8.2).
 */
export const truncate = (text: string, length: number): string => text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');
