/**
 * What was typed into a form and not sent yet, kept for this tab: a page that is loaded again, by hand or on the way back from
 * the login, has it still. Never for forms with secrets in them.
 */
const PREFIX = 'draft:';

/** Whether a stored value may stand where this one does: what an older release of the dashboard kept may not. */
const isAlike = (value: unknown, like: unknown): boolean =>
  typeof value === typeof like && Array.isArray(value) === Array.isArray(like);

/** What was typed the last time, on top of what the form begins with; undefined where nothing was. */
export function readDraft<V extends object>(name: string, initial: V): V | undefined {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(PREFIX + name) ?? 'null');
    if (typeof kept !== 'object' || kept === null) return undefined;
    const known = Object.entries(kept).filter(
      ([field, value]) => field in initial && isAlike(value, initial[field as keyof V]),
    );
    return { ...initial, ...Object.fromEntries(known) };
  } catch {
    return undefined;
  }
}

/** Keeps what differs from what the form begins with; nothing does: forgets. */
export function keepDraft<V extends object>(name: string, initial: V, values: V): void {
  const typed = Object.entries(values).filter(
    ([field, value]) => JSON.stringify(value) !== JSON.stringify(initial[field as keyof V]),
  );
  try {
    if (typed.length === 0) forgetDraft(name);
    else sessionStorage.setItem(PREFIX + name, JSON.stringify(Object.fromEntries(typed)));
  } catch {
    // A store that is full or forbidden: the form works without.
  }
}

export const forgetDraft = (name: string): void => sessionStorage.removeItem(PREFIX + name);

/** Whoever signs in next is told nothing of it. */
export function forgetDrafts(): void {
  for (const name of Object.keys(sessionStorage)) if (name.startsWith(PREFIX)) sessionStorage.removeItem(name);
}
