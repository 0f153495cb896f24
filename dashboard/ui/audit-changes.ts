/** A field of a change, with its value on each side where it had one. */
export interface FieldChange {
  field: string;
  before?: string;
  after?: string;
}

/** Longer values are cut off. */
const MAX_LENGTH = 120;

function format(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
}

/** Fields of an entry on one side of its change. */
export type Values = Record<string, unknown> | null;

/** Returns the fields of an entry of the audit log in the order in which they were stored, without those that were empty and stayed so. */
export function changesOf({ before, after }: { before: Values; after: Values }): FieldChange[] {
  const isShown = (value: unknown) => value !== undefined && value !== null && value !== '';
  return [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].flatMap((field) => {
    const [was, is] = [before?.[field], after?.[field]];
    if (!isShown(was) && !isShown(is)) return [];
    return [{ field, ...(isShown(was) && { before: format(was) }), ...(isShown(is) && { after: format(is) }) }];
  });
}
