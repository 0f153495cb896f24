import { type UseFormReturnType, useForm as useMantineForm } from '@mantine/form';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type * as z from 'zod/mini';
import { invalidFieldOf } from '../../contract/errors.ts';
import { toFailure } from '../api/failure.ts';
import { clearDraft, type DraftStore, readDraft, saveDraft, storedDraft } from '../drafts.ts';
import { useIsShown } from '../ui/use-is-shown.ts';
import { isEqual } from './is-equal.ts';
import { issueMessage } from './issue-message.ts';

/** Props that a field's input needs. */
export interface Field<T> {
  name: string;
  value: T;
  error: ReactNode;
  onChange: (value: T) => void;
  onBlur: () => void;
}

/** Name of a value (`years`), or of one in a group of texts (`registrant.name`). */
type FieldName<V> = {
  [K in keyof V & string]: K | (V[K] extends Record<string, string> ? `${K}.${keyof V[K] & string}` : never);
}[keyof V & string];
type FieldValue<V, N> = N extends keyof V ? V[N] : string;

/** A form of `@mantine/form` that is validated by the contract's schema, shows the API's errors and keeps a draft. */
export interface Form<V extends object> extends UseFormReturnType<V> {
  field: <N extends FieldName<V>>(name: N) => Field<FieldValue<V, N>>;
  /** Shows an API error at the field that it names. Returns false if it names no field of this form. */
  showApiError: (error: unknown) => boolean;
  /** True while the form shows a draft from before the page was loaded. */
  isRestored: boolean;
  /**
   * Returns a function for after the success. It discards the draft that was sent, and lets the fields take the server's form of their values,
   * such as trimmed text. What the user has typed since is kept, also in the form opened again.
   */
  beginSending: () => () => void;
  /** Empties the form after its values were sent, unless the user has typed in the meantime. */
  clearSent: () => void;
}

/** Validates a body; returns one message per path (`vars.0.key`). */
function validateBody(schema: (() => z.ZodMiniType) | undefined, body: unknown): Record<string, string> {
  const parsed = schema?.().safeParse(body, { reportInput: true });
  if (!parsed || parsed.success) return {};
  // The first of several issues at a path wins.
  const issues = parsed.error.issues.toReversed();
  return Object.fromEntries(issues.map((issue) => [issue.path.map(String).join('.'), issueMessage(issue)]));
}

/**
 * Takes over changes of the initial values in the fields that the user has not changed, or not since they were sent. What another tab or
 * member has saved in the meantime would otherwise look like an edit of this form, which its next save would revert.
 */
function useFollow<V extends object>(
  initialValues: V,
  form: UseFormReturnType<V>,
  sent: { current: V | undefined },
): void {
  const previous = useRef(initialValues);
  const text = JSON.stringify(initialValues);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the values are compared by their text, because each render creates new ones
  useEffect(() => {
    const [before, current] = [previous.current, form.getValues()];
    previous.current = initialValues;
    const names = Object.keys(initialValues) as (keyof V)[];
    const isUntouched = (name: keyof V): boolean =>
      isEqual(current[name], before[name]) ||
      (sent.current !== undefined && isEqual(current[name], sent.current[name]));
    const followed = names.filter((name) => isUntouched(name) && !isEqual(current[name], initialValues[name]));
    sent.current = undefined;
    if (followed.length > 0)
      form.setValues(Object.fromEntries(followed.map((name) => [name, initialValues[name]])) as Partial<V>);
  }, [text]);
}

const hasPath = (values: unknown, path: string): boolean =>
  path.split('.').reduce((value: unknown, key) => Object(value)[key], values) !== undefined;

/**
 * Creates a form that is validated by the schema with which the API validates its body. A field is validated when it loses focus.
 * Fields with an error are validated again on every change of the form.
 *
 * @param toBody the request body for the form's values
 * @param draft name of the draft that keeps unsent values when the user leaves the screen
 * @param store the draft's storage; `memoryStore` for a form with secrets
 */
export function useForm<V extends object>(
  schema: (() => z.ZodMiniType) | undefined,
  initialValues: V,
  toBody: (values: V) => unknown = (values) => values,
  draft?: string,
  store: DraftStore = sessionStorage,
): Form<V> {
  const [restored] = useState(() => (draft === undefined ? undefined : readDraft(draft, initialValues, store)));
  const [isRestored, setIsRestored] = useState(restored !== undefined);
  const isShown = useIsShown();
  const form = useMantineForm<V>({
    initialValues: restored ?? initialValues,
    validate: (values) => validateBody(schema, toBody(values)),
    validateInputOnBlur: true,
    clearInputErrorOnChange: false,
    onValuesChange: (values) => {
      // A form that was left has no say: the user may be typing into one that was opened again.
      if (draft !== undefined && isShown()) saveDraft(draft, initialValues, values, store);
      // One field's error may depend on the value of another (a record's content on its type).
      for (const name of Object.keys(form.errors)) void form.validateField(name);
    },
  });
  const sent = useRef<V>(undefined);
  useFollow(initialValues, form, sent);
  const beginSending = () => {
    const values = form.getValues();
    const held = draft === undefined ? null : storedDraft(draft, store);
    return () => {
      sent.current = values;
      setIsRestored(false);
      if (draft !== undefined && storedDraft(draft, store) === held) clearDraft(draft, store);
    };
  };
  const reset = () => {
    form.setInitialValues(initialValues);
    form.reset();
    setIsRestored(false);
    if (draft !== undefined) clearDraft(draft, store);
  };
  return {
    ...form,
    field: (name) => {
      const { value, error, onChange, onBlur } = form.getInputProps(name);
      // The error of a text that is sent as a list is at the path of a list entry.
      const entryError = Object.entries(form.errors).find(([path]) => path.startsWith(`${name}.`))?.[1];
      return { name, value, error: error ?? entryError, onChange, onBlur };
    },
    showApiError: (error) => {
      const found = invalidFieldOf(toFailure(error));
      if (!found || !hasPath(form.values, found.field)) return false;
      form.setErrors({ [found.field]: `This ${found.problem}` });
      return true;
    },
    reset,
    clearSent: () => {
      // The values of the render in which the form was submitted.
      if (isShown() && isEqual(form.getValues(), form.values)) reset();
    },
    isRestored,
    beginSending,
  };
}
