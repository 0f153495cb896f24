/** Which deployment of an application is live after another one has failed. */
export type Serving = 'EARLIER' | 'NEWER' | 'NONE';

/**
 * Returns which deployment is live after one has failed; undefined if that is not known.
 * @param liveId undefined if the application could not be read
 * @param newest the application's newest deployments, newest first. The failed and the live one may be older
 */
export function servingAfter(
  failedId: string,
  liveId: string | null | undefined,
  newest: readonly { id: string }[],
): Serving | undefined {
  if (liveId === undefined) return undefined;
  if (liveId === null) return 'NONE';
  const [failed = -1, live = -1] = [failedId, liveId].map((id) => newest.findIndex((each) => each.id === id));
  if (failed === live) return undefined;
  return live !== -1 && (failed === -1 || live < failed) ? 'NEWER' : 'EARLIER';
}
