/** A changed field with its values before and after. A side without a value is omitted. */
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

/** Fields of an audit log entry before or after its change. */
export type Values = Record<string, unknown> | null;

/** Returns the fields of an audit log entry in stored order, without those that are empty on both sides. */
export function changesOf({ before, after }: { before: Values; after: Values }): FieldChange[] {
  const isShown = (value: unknown) => value !== undefined && value !== null && value !== '';
  return [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].flatMap((field) => {
    const [was, is] = [before?.[field], after?.[field]];
    if (!isShown(was) && !isShown(is)) return [];
    return [{ field, ...(isShown(was) && { before: format(was) }), ...(isShown(is) && { after: format(is) }) }];
  });
}
