/**
 * Returns the first `length` UTF-16 units of a text, without half of a surrogate pair at the end: mail servers and JSON parsers of
 * other languages refuse a lone surrogate (RFC 8259, section 8.2).
 */
export const truncate = (text: string, length: number): string => text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');
