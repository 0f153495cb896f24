/**
 * Loads the page again, since the browser remembers a script that failed to load. Throws if the service cannot be reached: a page that
 * is shown is better than the browser's error page.
 */
export async function loadPage(): Promise<never> {
  const { ok } = await fetch(document.baseURI, { cache: 'no-store' });
  if (ok) location.reload();
  throw new Error('the dashboard cannot be loaded');
}
