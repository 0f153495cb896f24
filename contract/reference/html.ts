/** Escapes text for HTML. */
export const html = (text: string): string =>
  text.replace(
    /[&<>"]/g,
    (character) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[character] ?? character,
  );

/** Escapes text for HTML, with code between backquotes. */
export const prose = (text: string): string => html(text).replace(/`([^`]+)`/g, '<code>$1</code>');

/** Returns a block of code. A block with a language is shown only while the reader has chosen it. */
export const pre = (text: string, language = ''): string =>
  `<pre${language ? ` class="${language}"` : ''}>${html(text)}</pre>`;
