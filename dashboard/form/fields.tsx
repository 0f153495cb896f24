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

/** What explains a field stands below it: fields beside each other stand at one height. */
const ORDER = ['label' as const, 'input' as const, 'description' as const, 'error' as const];

const shared = <T extends string>({ name, value, error, onBlur }: Field<T>) => ({
  ...{ name, value, error, onBlur },
  inputWrapperOrder: ORDER,
});

/** A line of text. Mantine ties label, description and error to the input. */
export const TextField = ({
  of,
  autoFocus,
  ...props
}: TextProps & { of: Field<string>; type?: string; inputMode?: 'decimal' }) => (
  <TextInput
    {...props}
    {...shared(of)}
    onChange={(event) => of.onChange(event.currentTarget.value)}
    autoComplete="off"
    spellCheck={false}
    {...(autoFocus ? { 'data-autofocus': true } : {})}
  />
);

/** Something secret: hidden as it is typed. */
export const SecretField = ({ of, autoFocus, ...props }: TextProps & { of: Field<string> }) => (
  <PasswordInput
    {...props}
    {...shared(of)}
    onChange={(event) => of.onChange(event.currentTarget.value)}
    autoComplete="off"
    visibilityToggleButtonProps={{ 'aria-label': `Show ${props.label}` }}
    {...(autoFocus ? { 'data-autofocus': true } : {})}
  />
);

/** Several lines of text. */
export const LongField = ({ of, ...props }: Omit<TextProps, 'autoFocus'> & { of: Field<string> }) => (
  <Textarea
    {...props}
    {...shared(of)}
    onChange={(event) => of.onChange(event.currentTarget.value)}
    autosize
    minRows={3}
  />
);

interface ChoiceProps<T extends string> extends TextProps {
  of: Field<T>;
  choices: readonly T[];
  /** What each is called; itself where nothing is said. */
  names?: Partial<Record<T, string>>;
}

/** One of a few: the browser's own list, which every phone and screen reader knows. */
export function ChoiceField<T extends string>({ of, choices, names = {}, autoFocus: _, ...props }: ChoiceProps<T>) {
  const choose = (text: string) => {
    const chosen = choices.find((choice) => choice === text);
    if (chosen !== undefined) of.onChange(chosen);
  };
  return (
    <NativeSelect
      {...props}
      {...shared(of)}
      data={choices.map((value) => ({ value, label: names[value] ?? value }))}
      onChange={(event) => choose(event.currentTarget.value)}
    />
  );
}

/** Yes or no. */
export const SwitchField = ({ of, label, description }: TextProps & { of: Field<boolean> }) => (
  <Switch
    name={of.name}
    label={label}
    description={description}
    checked={of.value}
    onChange={(event) => of.onChange(event.currentTarget.checked)}
  />
);
