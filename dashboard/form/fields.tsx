import { NativeSelect, PasswordInput, Switch, Textarea, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Field } from './form.ts';

interface TextProps {
  label: string;
  description?: ReactNode;
  placeholder?: string;
  required?: boolean;
  autoFocus?: boolean;
}

/** Puts descriptions below the inputs, so that inputs in one row align. */
const WRAPPER_ORDER = ['label' as const, 'input' as const, 'description' as const, 'error' as const];

const sharedProps = <T extends string>({ name, value, error, onBlur }: Field<T>) => ({
  name,
  value,
  error,
  onBlur,
  inputWrapperOrder: WRAPPER_ORDER,
});

/** A single-line text input. Mantine links label, description and error to it. */
export const TextField = ({
  field,
  autoFocus,
  ...props
}: TextProps & { field: Field<string>; type?: string; inputMode?: 'decimal' }) => (
  <TextInput
    {...props}
    {...sharedProps(field)}
    onChange={(event) => field.onChange(event.currentTarget.value)}
    autoComplete="off"
    spellCheck={false}
    {...(autoFocus ? { 'data-autofocus': true } : {})}
  />
);

/** An input for a secret, hidden while typing. */
export const SecretField = ({ field, autoFocus, ...props }: TextProps & { field: Field<string> }) => (
  <PasswordInput
    {...props}
    {...sharedProps(field)}
    onChange={(event) => field.onChange(event.currentTarget.value)}
    autoComplete="off"
    visibilityToggleButtonProps={{ 'aria-label': `Show ${props.label}` }}
    {...(autoFocus ? { 'data-autofocus': true } : {})}
  />
);

/** A multi-line text input. */
export const TextAreaField = ({ field, ...props }: Omit<TextProps, 'autoFocus'> & { field: Field<string> }) => (
  <Textarea
    {...props}
    {...sharedProps(field)}
    onChange={(event) => field.onChange(event.currentTarget.value)}
    autosize
    minRows={3}
  />
);

interface SelectProps<T extends string> extends TextProps {
  field: Field<T>;
  options: readonly T[];
  /** Label per option; the option itself by default. */
  optionLabels?: Partial<Record<T, string>>;
}

/** A native select, which every phone and screen reader supports. */
export function SelectField<T extends string>({
  field,
  options,
  optionLabels = {},
  autoFocus: _,
  ...props
}: SelectProps<T>) {
  const choose = (text: string) => {
    const chosen = options.find((choice) => choice === text);
    if (chosen !== undefined) field.onChange(chosen);
  };
  return (
    <NativeSelect
      {...props}
      {...sharedProps(field)}
      data={options.map((value) => ({ value, label: optionLabels[value] ?? value }))}
      onChange={(event) => choose(event.currentTarget.value)}
    />
  );
}

/** A switch for a boolean value. */
export const SwitchField = ({ field, label, description }: TextProps & { field: Field<boolean> }) => (
  <Switch
    name={field.name}
    label={label}
    description={description}
    checked={field.value}
    onChange={(event) => field.onChange(event.currentTarget.checked)}
  />
);
