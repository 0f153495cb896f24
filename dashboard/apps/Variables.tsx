import { Button, Stack, Text } from '@mantine/core';
import type { Pair } from '../../contract/apps/dotenv.ts';
import { ENV_LIMITS, replaceEnv } from '../../contract/apps/environment.ts';
import { memoryStore } from '../drafts.ts';
import { FormBox } from '../form/FormBox.tsx';
import { useForm } from '../form/form.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { QueryBoundary } from '../ui/QueryBoundary.tsx';
import { Section } from '../ui/Section.tsx';
import { toast } from '../ui/toast.ts';
import { type Application, useEnv, useUpdateEnv } from './api.ts';
import { PasteVariables } from './PasteVariables.tsx';
import { RedeployNote, useUnapplied } from './RedeployNote.tsx';
import { VariableRow } from './VariableRow.tsx';
import {
  type Edits,
  NO_EDITS,
  rowsOf,
  toBody,
  withChange,
  without,
  withoutSent,
  withPairs,
  withRow,
} from './variable-edits.ts';

/** Environment variables of an application. Names are shown, values never. */
export function Variables({ app }: { app: Application }) {
  const env = useEnv(app.id);
  return (
    <Section
      title="Environment variables"
      description="Values are stored encrypted and never shown. Changes apply to the next deployment."
    >
      <QueryBoundary query={env}>{({ data }) => <VariablesForm app={app} keys={data.keys} />}</QueryBoundary>
    </Section>
  );
}

function VariablesForm({ app, keys }: { app: Application; keys: readonly string[] }) {
  // The limits apply to the whole set as it will be stored.
  const toWholeSet = (edits: Edits) => ({ vars: rowsOf(keys, edits).map(({ key, value }) => ({ key, value })) });
  const form = useForm(replaceEnv.body, NO_EDITS, toWholeSet, `env:${app.id}`, memoryStore);
  const update = useUpdateEnv();
  const [isUnapplied, markChanged] = useUnapplied(app, 'variables');
  const vars = rowsOf(keys, form.values);
  const body = toBody(keys, form.values);
  const save = async () => {
    await update(app.id, body);
    form.setValues(withoutSent(form.getValues(), form.values));
    markChanged();
    toast('Saved. Deploy to apply the change.');
  };
  const add = (pairs: readonly Pair[]) => form.setValues(withPairs(form.values, keys, pairs));
  return (
    <Stack>
      <FormBox
        form={form}
        label="Save variables"
        onSubmit={save}
        isUnchanged={body.set.length + body.remove.length === 0}
        secondaryAction={
          <>
            <Button
              variant={vars.length === 0 ? 'filled' : 'default'}
              disabled={vars.length >= ENV_LIMITS.count}
              onClick={() => form.setValues(withRow(form.values))}
            >
              Add variable
            </Button>
            <PasteVariables add={add} />
          </>
        }
      >
        {vars.length === 0 && (
          <EmptyState title="No variables yet">
            Add settings and secrets that do not belong in the repository.
          </EmptyState>
        )}
        {vars.map((variable, index) => (
          <VariableRow
            key={variable.row}
            variable={variable}
            errors={{ key: form.errors[`vars.${index}.key`], value: form.errors[`vars.${index}.value`] }}
            change={(changed) => form.setValues(withChange(form.values, changed))}
            paste={add}
            remove={() => form.setValues(without(form.values, variable))}
          />
        ))}
        {form.errors.vars && <Text c="var(--bad)">{form.errors.vars}</Text>}
      </FormBox>
      {isUnapplied && <RedeployNote app={app} kind="variables" />}
    </Stack>
  );
}
