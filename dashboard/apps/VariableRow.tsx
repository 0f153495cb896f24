import { Button, Group, PasswordInput, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { describeUnread, type Pair, parseDotenv } from '../../contract/apps/dotenv.ts';
import { toast } from '../ui/toast.ts';
import type { Variable } from './variable-edits.ts';

interface VariableRowProps {
  variable: Variable;
  errors: { key: ReactNode; value: ReactNode };
  change: (variable: Variable) => void;
  remove: () => void;
  /** Called when `.env` lines are pasted into the name field. */
  paste: (pairs: readonly Pair[]) => void;
}

/** Parses pasted text that is more than a name. */
const parsePasted = (text: string): readonly Pair[] => (text.includes('=') ? parseDotenv(text) : []);

/** One variable. The name of a stored variable is read-only: a renamed one would lose its value. */
export const VariableRow = ({ variable, errors, change, remove, paste }: VariableRowProps) => (
  <Group gap="xs" align="flex-start">
    <TextInput
      aria-label="Name"
      placeholder="NAME"
      value={variable.key}
      error={errors.key}
      readOnly={variable.stored}
      onChange={(event) => change({ ...variable, key: event.currentTarget.value.trim() })}
      onPaste={(event) => {
        const text = event.clipboardData.getData('text');
        const pairs = parsePasted(text);
        if (pairs.length === 0 || variable.stored) return;
        event.preventDefault();
        paste(pairs);
        const unread = describeUnread(text);
        if (unread) toast(unread);
      }}
      autoComplete="off"
      spellCheck={false}
      styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
      style={{ flex: '1 1 12rem' }}
    />
    <PasswordInput
      aria-label={`Value of ${variable.key || 'the new variable'}`}
      placeholder={variable.stored ? 'unchanged' : 'value'}
      value={variable.value}
      error={errors.value}
      onChange={(event) => change({ ...variable, value: event.currentTarget.value })}
      autoComplete="new-password"
      visibilityToggleButtonProps={{ 'aria-label': `Show the value of ${variable.key || 'the new variable'}` }}
      style={{ flex: '2 1 14rem' }}
    />
    <Button variant="default" onClick={remove} aria-label={`Remove ${variable.key || 'the new variable'}`}>
      Remove
    </Button>
  </Group>
);
