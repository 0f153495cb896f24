/** Returns true if the dashboard itself can be loaded. */
export const isReachable = async (): Promise<boolean> =>
  await fetch(document.baseURI, { cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  );

/**
 * Reloads the page, because the browser does not retry a module that failed to load. Throws if the service cannot be reached, so that
 * the current page stays instead of the browser's error page.
 */
export async function loadPage(): Promise<never> {
  if (!(await isReachable())) throw new Error('the dashboard cannot be loaded');
  location.reload();
  // Until the browser has replaced the page, it is still loading.
  return await new Promise<never>(() => undefined);
}
