/**
 * Drafts of unsent forms. They are stored in the tab's sessionStorage, so that they survive a reload and the redirect to the login.
 * Drafts with secrets are stored in memory only: they survive navigation, but not a reload.
 */
const PREFIX = 'draft:';

export type DraftStore = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

const memory = new Map<string, string>();
/** Store for forms with secrets: nothing is written to disk. */
export const memoryStore: DraftStore = {
  getItem: (name) => memory.get(name) ?? null,
  setItem: (name, value) => memory.set(name, value),
  removeItem: (name) => memory.delete(name),
};

/** Returns true if a stored value has the shape of the initial one. A draft of an older release may have another shape. */
function hasSameShape(value: unknown, reference: unknown): boolean {
  if (typeof value !== typeof reference || value === null || Array.isArray(value) !== Array.isArray(reference))
    return false;
  if (typeof reference !== 'object' || reference === null || Array.isArray(reference)) return true;
  return Object.entries(reference).every(([name, part]) => hasSameShape(Object(value)[name], part));
}

/** Returns the initial values with the draft on top, or undefined if there is no draft. */
export function readDraft<V extends object>(
  name: string,
  initial: V,
  store: DraftStore = sessionStorage,
): V | undefined {
  try {
    const stored: unknown = JSON.parse(store.getItem(PREFIX + name) ?? 'null');
    if (typeof stored !== 'object' || stored === null) return undefined;
    const known = Object.entries(stored).filter(
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
  const changed = Object.entries(values).filter(
    ([field, value]) => JSON.stringify(value) !== JSON.stringify(initial[field as keyof V]),
  );
  try {
    if (changed.length === 0) clearDraft(name, store);
    else store.setItem(PREFIX + name, JSON.stringify(Object.fromEntries(changed)));
  } catch {
    // The storage is full or disabled: the form works without drafts.
  }
}

/** Returns the text of a stored draft, to compare it with a later one. */
export const storedDraft = (name: string, store: DraftStore = sessionStorage): string | null =>
  store.getItem(PREFIX + name);

export const clearDraft = (name: string, store: DraftStore = sessionStorage): void => store.removeItem(PREFIX + name);

/** Clears all drafts, so that the next user does not see them. */
export function clearDrafts(): void {
  memory.clear();
  for (const name of Object.keys(sessionStorage)) if (name.startsWith(PREFIX)) sessionStorage.removeItem(name);
}
