import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ENV_LIMITS, replaceEnv } from '../../contract/apps/environment.ts';
import { DeployButton } from '../deployments/DeployButton.tsx';
import { FormBox } from '../form/FormBox.tsx';
import { useForm } from '../form/form.ts';
import { QueryBoundary } from '../ui/QueryBoundary.tsx';
import { Section } from '../ui/Section.tsx';
import { toast } from '../ui/toast.ts';
import { type Application, isDeployable, useEnv, useReplaceEnv } from './api.ts';
import type { Pair } from './dotenv.ts';
import { PasteVariables } from './PasteVariables.tsx';
import { type Variable, VariableRow } from './VariableRow.tsx';

/** Environment variables of an application. Names are shown, values never. */
export function Variables({ app }: { app: Application }) {
  const env = useEnv(app.id);
  return (
    <Section
      title="Environment variables"
      description="Values are stored encrypted and never shown. Changes apply to the next deployment."
    >
      <QueryBoundary query={env}>
        {({ data }) => <VariablesForm key={data.keys.join(' ')} app={app} keys={data.keys} />}
      </QueryBoundary>
    </Section>
  );
}

/** Number of the last row: gives rows a stable identity while others are added and removed. */
let lastRow = 0;
const createRow = (key: string, stored: boolean): Variable => {
  lastRow += 1;
  return { row: lastRow, key, value: '', stored };
};

const toBody = ({ vars }: { vars: readonly Variable[] }) => ({ vars: vars.map(({ key, value }) => ({ key, value })) });

/** Merges imported variables into the rows: existing names get the new value, empty rows are dropped. */
function mergePairs(vars: readonly Variable[], pairs: readonly Pair[]): Variable[] {
  const values = new Map(pairs.map(({ key, value }) => [key, value]));
  const kept = vars
    .filter(({ key, value }) => key !== '' || value !== '')
    .map((each) => ({ ...each, value: values.get(each.key) ?? each.value }));
  const names = new Set(kept.map(({ key }) => key));
  const added = pairs
    .filter(({ key }) => !names.has(key))
    .map(({ key, value }) => ({ ...createRow(key, false), value }));
  return [...kept, ...added];
}

function VariablesForm({ app, keys }: { app: Application; keys: readonly string[] }) {
  const form = useForm(replaceEnv.body, { vars: keys.map((key) => createRow(key, true)) }, toBody);
  const replace = useReplaceEnv();
  const [saved, setSaved] = useState(false);
  const { vars } = form.values;
  const change = (changed: Variable) =>
    form.setValues({ vars: vars.map((each) => (each.row === changed.row ? changed : each)) });
  const add = (pairs: readonly Pair[]) => form.setValues({ vars: mergePairs(vars, pairs) });
  const save = async () => {
    await replace.mutateAsync({ params: { id: app.id }, body: toBody(form.values) });
    setSaved(true);
    toast('Saved. Deploy to apply the change.');
  };
  return (
    <Stack>
      <FormBox
        form={form}
        label="Save variables"
        onSubmit={save}
        secondaryAction={
          <>
            <Button
              variant="default"
              disabled={vars.length >= ENV_LIMITS.count}
              onClick={() => form.setValues({ vars: [...vars, createRow('', false)] })}
            >
              Add variable
            </Button>
            <PasteVariables add={add} />
          </>
        }
      >
        {vars.length === 0 && (
          <Text size="sm" c="dimmed">
            No variables yet. Add settings and secrets that do not belong in the repository.
          </Text>
        )}
        {vars.map((variable, index) => (
          <VariableRow
            key={variable.row}
            variable={variable}
            errors={{ key: form.errors[`vars.${index}.key`], value: form.errors[`vars.${index}.value`] }}
            change={change}
            paste={add}
            remove={() => form.setValues({ vars: vars.filter(({ row }) => row !== variable.row) })}
          />
        ))}
        {form.errors.vars && <Text c="var(--bad)">{form.errors.vars}</Text>}
      </FormBox>
      {saved && (
        <Alert variant="default" role="status">
          <Group justify="space-between">
            <Text size="sm">The live deployment still uses the previous variables.</Text>
            <DeployButton appId={app.id} disabled={!isDeployable(app)} />
          </Group>
        </Alert>
      )}
    </Stack>
  );
}
