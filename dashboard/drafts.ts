/**
 * Drafts of unsent forms, stored for this tab, so that they survive a reload and the redirect to the login. Those of forms
 * with secrets are kept in memory only: they survive a change of screen.
 */
const PREFIX = 'draft:';

export type DraftStore = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

const memory = new Map<string, string>();
/** For forms with secrets: nothing is written to disk. */
export const memoryStore: DraftStore = {
  getItem: (name) => memory.get(name) ?? null,
  setItem: (name, value) => memory.set(name, value),
  removeItem: (name) => memory.delete(name),
};

/** Returns false for a stored value of another shape, which an older release of the dashboard may have saved. */
function hasSameShape(value: unknown, like: unknown): boolean {
  if (typeof value !== typeof like || value === null || Array.isArray(value) !== Array.isArray(like)) return false;
  if (typeof like !== 'object' || like === null || Array.isArray(like)) return true;
  return Object.entries(like).every(([name, each]) => hasSameShape(Object(value)[name], each));
}

/** Returns the initial values with the draft on top, or undefined if there is no draft. */
export function readDraft<V extends object>(
  name: string,
  initial: V,
  store: DraftStore = sessionStorage,
): V | undefined {
  try {
    const kept: unknown = JSON.parse(store.getItem(PREFIX + name) ?? 'null');
    if (typeof kept !== 'object' || kept === null) return undefined;
    const known = Object.entries(kept).filter(
      ([field, value]) => Object.hasOwn(initial, field) && hasSameShape(value, initial[field as keyof V]),
    );
    return { ...initial, ...Object.fromEntries(known) };
  } catch {
    return undefined;
  }
}

/** Saves the values that differ from the initial ones. Clears the draft if none do. */
export function saveDraft<V extends object>(
  name: string,
  initial: V,
  values: V,
  store: DraftStore = sessionStorage,
): void {
  const typed = Object.entries(values).filter(
    ([field, value]) => JSON.stringify(value) !== JSON.stringify(initial[field as keyof V]),
  );
  try {
    if (typed.length === 0) clearDraft(name, store);
    else store.setItem(PREFIX + name, JSON.stringify(Object.fromEntries(typed)));
  } catch {
    // The storage is full or disabled: the form works without drafts.
  }
}

export const clearDraft = (name: string, store: DraftStore = sessionStorage): void => store.removeItem(PREFIX + name);

/** Clears all drafts, so that the next user does not see them. */
export function clearDrafts(): void {
  memory.clear();
  for (const name of Object.keys(sessionStorage)) if (name.startsWith(PREFIX)) sessionStorage.removeItem(name);
}
