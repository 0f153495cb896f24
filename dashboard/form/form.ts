import { useState } from 'react';
import type * as z from 'zod/mini';
import { failureOf } from '../api/failure.ts';
import { forgetDraft, keepDraft, readDraft } from './draft.ts';
import { wordsOf } from './issue-message.ts';

/** What a field's input needs. */
export interface Field<T> {
  name: string;
  value: T;
  error: string | undefined;
  onChange: (value: T) => void;
  onBlur: () => void;
}

export interface Form<V extends object> {
  values: V;
  /** All that is wrong, by field: `vars.0.key`. */
  errors: Readonly<Record<string, string>>;
  set: (values: Partial<V>) => void;
  field: <K extends keyof V & string>(name: K) => Field<V[K]>;
  /** Shows everything that is wrong. True where nothing is. */
  check: () => boolean;
  /** Shows what the API says is wrong at its field. True where it names one of this form's. */
  refuse: (error: unknown) => boolean;
  reset: () => void;
  /** What is shown was typed before the page was loaded again. */
  restored: boolean;
  /** It was sent: what was typed need not be kept any more. */
  sent: () => void;
}

/** Issues that stand at a field, by the field's path. */
function issuesOf(schema: (() => z.ZodMiniType) | undefined, body: unknown): Record<string, string> {
  const parsed = schema?.().safeParse(body, { reportInput: true });
  if (!parsed || parsed.success) return {};
  // Of several at a field the first one counts.
  const issues = parsed.error.issues.toReversed();
  return Object.fromEntries(issues.map((issue) => [issue.path.map(String).join('.'), wordsOf(issue)]));
}

/** `vars` of `vars.0.key`. */
const rootOf = (name: string): string => name.split('.', 1)[0] ?? name;

/** The API's message names the field: `name: must have at least 2 characters`. */
function refusalOf(error: unknown): { name: string; text: string } | undefined {
  const { code, message } = failureOf(error);
  const [, name, text] = /^([\w.]+): (.+)$/s.exec(message) ?? [];
  return code === 'invalid_request' && name && text ? { name, text: `This ${text}` } : undefined;
}

/**
 * A form that is checked as it is typed, by the very schema that the API will check it with.
 * A field is silent until it was left once; afterwards it says at each key stroke how it is.
 *
 * @param toBody what is sent for these values
 * @param draft the name under which what was typed outlives the page; none for a form with secrets
 */
export function useForm<V extends object>(
  schema: (() => z.ZodMiniType) | undefined,
  initial: V,
  toBody: (values: V) => unknown = (values) => values,
  draft?: string,
): Form<V> {
  const [kept] = useState(() => (draft === undefined ? undefined : readDraft(draft, initial)));
  const [values, setValues] = useState(kept ?? initial);
  const [restored, setRestored] = useState(kept !== undefined);
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [refused, setRefused] = useState<Record<string, string>>({});
  const issues = issuesOf(schema, toBody(values));
  const shown = Object.entries(issues).filter(([name]) => left.has('*') || left.has(name) || left.has(rootOf(name)));
  const errors = { ...Object.fromEntries(shown), ...refused };
  const change = (changed: (before: V) => V) => {
    setValues(changed);
    setRefused({});
    if (draft !== undefined) keepDraft(draft, initial, changed(values));
  };
  const sent = () => {
    setRestored(false);
    if (draft !== undefined) forgetDraft(draft);
  };
  return {
    values,
    errors,
    set: (changed) => change((before) => ({ ...before, ...changed })),
    field: (name) => ({
      name,
      value: values[name],
      error: errors[name] ?? Object.entries(errors).find(([each]) => each.startsWith(`${name}.`))?.[1],
      onChange: (value) => change((before) => ({ ...before, [name]: value })),
      onBlur: () => setLeft((before) => new Set(before).add(name)),
    }),
    check: () => {
      setLeft(new Set('*'));
      return Object.keys(issues).length === 0;
    },
    refuse: (error) => {
      const refusal = refusalOf(error);
      if (!refusal || !(refusal.name in values || rootOf(refusal.name) in values)) return false;
      setRefused({ [refusal.name]: refusal.text });
      return true;
    },
    reset: () => {
      setValues(initial);
      setLeft(new Set());
      setRefused({});
      sent();
    },
    restored,
    sent,
  };
}
