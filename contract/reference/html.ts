/** Escapes text for HTML. */
export const html = (text: string): string =>
  text.replace(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign] ?? sign);

/** Escapes text in which backquotes mark code. */
export const prose = (text: string): string => html(text).replace(/`([^`]+)`/g, '<code>$1</code>');

/** A block of code; one with a language is shown while that is the reader's choice. */
export const pre = (text: string, language = ''): string =>
  `<pre${language ? ` class="${language}"` : ''}>${html(text)}</pre>`;
