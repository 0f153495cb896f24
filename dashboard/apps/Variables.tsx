import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ENV_LIMITS, replaceEnv } from '../../contract/apps/environment.ts';
import { FormBox } from '../form/FormBox.tsx';
import { useForm } from '../form/form.ts';
import { Loaded } from '../ui/QueryBoundary.tsx';
import { Section } from '../ui/Section.tsx';
import { tell } from '../ui/toast.ts';
import { type Application, useEnv, useReplaceEnv } from './api.ts';
import { DeployButton } from './DeployButton.tsx';
import type { Pair } from './dotenv.ts';
import { PasteVariables } from './PasteVariables.tsx';
import { type Variable, VariableRow } from './VariableRow.tsx';

/** An application's environment variables: their names are known, their values are never shown again. */
export function Variables({ app }: { app: Application }) {
  const env = useEnv(app.id);
  return (
    <Section
      title="Environment variables"
      about="Values are stored encrypted and never shown. A change takes effect with the next deployment."
    >
      <Loaded query={env}>
        {({ data }) => <VariablesForm key={data.keys.join(' ')} app={app} keys={data.keys} />}
      </Loaded>
    </Section>
  );
}

/** Rows keep their identity while others come and go. */
let made = 0;
const row = (key: string, stored: boolean): Variable => {
  made += 1;
  return { row: made, key, value: '', stored };
};

const toBody = ({ vars }: { vars: readonly Variable[] }) => ({ vars: vars.map(({ key, value }) => ({ key, value })) });

/** The rows with these variables among them: a name that is there gets the new value, rows left empty go. */
function withPairs(vars: readonly Variable[], pairs: readonly Pair[]): Variable[] {
  const values = new Map(pairs.map(({ key, value }) => [key, value]));
  const kept = vars
    .filter(({ key, value }) => key !== '' || value !== '')
    .map((each) => ({ ...each, value: values.get(each.key) ?? each.value }));
  const names = new Set(kept.map(({ key }) => key));
  const added = pairs.filter(({ key }) => !names.has(key)).map(({ key, value }) => ({ ...row(key, false), value }));
  return [...kept, ...added];
}

function VariablesForm({ app, keys }: { app: Application; keys: readonly string[] }) {
  const form = useForm(replaceEnv.body, { vars: keys.map((key) => row(key, true)) }, toBody);
  const replace = useReplaceEnv();
  const [saved, setSaved] = useState(false);
  const { vars } = form.values;
  const change = (changed: Variable) =>
    form.set({ vars: vars.map((each) => (each.row === changed.row ? changed : each)) });
  const add = (pairs: readonly Pair[]) => form.set({ vars: withPairs(vars, pairs) });
  const save = async () => {
    await replace.mutateAsync({ params: { id: app.id }, body: toBody(form.values) });
    setSaved(true);
    tell('Saved. Deploy to apply the change.');
  };
  return (
    <Stack>
      <FormBox
        form={form}
        label="Save variables"
        act={save}
        beside={
          <>
            <Button
              variant="default"
              disabled={vars.length >= ENV_LIMITS.count}
              onClick={() => form.set({ vars: [...vars, row('', false)] })}
            >
              Add a variable
            </Button>
            <PasteVariables add={add} />
          </>
        }
      >
        {vars.length === 0 && (
          <Text size="sm" c="dimmed">
            No variables yet. Add one for what your application must know and its repository must not.
          </Text>
        )}
        {vars.map((variable, index) => (
          <VariableRow
            key={variable.row}
            variable={variable}
            errors={{ key: form.errors[`vars.${index}.key`], value: form.errors[`vars.${index}.value`] }}
            change={change}
            paste={add}
            remove={() => form.set({ vars: vars.filter(({ row }) => row !== variable.row) })}
          />
        ))}
        {form.errors.vars && <Text c="var(--bad)">{form.errors.vars}</Text>}
      </FormBox>
      {saved && (
        <Alert variant="default" role="status">
          <Group justify="space-between">
            <Text size="sm">The running release still has the variables from before.</Text>
            <DeployButton app={app} />
          </Group>
        </Alert>
      )}
    </Stack>
  );
}
