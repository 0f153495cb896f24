import { SimpleGrid } from '@mantine/core';
import { useState } from 'react';
import { type FRAMEWORK_DEFAULTS, NODE_VERSIONS } from '../../contract/enums.ts';
import { SelectField, TextField } from '../form/fields.tsx';
import type { Form } from '../form/form.ts';
import { ADVANCED, type Framework, type NewAppValues } from './new-app-form.ts';

interface AdvancedSettingsProps {
  form: Form<NewAppValues>;
  /** Defaults of the framework. */
  defaults: (typeof FRAMEWORK_DEFAULTS)[Framework];
}

/** Settings that most applications do not need, folded away unless one of them has a value. */
export function AdvancedSettings({ form: { field, values }, defaults }: AdvancedSettingsProps) {
  // Only the initial state: afterwards the user toggles it, and the form opens it to show an error.
  const [isOpen] = useState(() => ADVANCED.some((name) => values[name] !== ''));
  return (
    <details className="advanced" open={isOpen}>
      <summary>Advanced settings</summary>
      <SimpleGrid cols={{ base: 1, sm: 2 }} mt="sm">
        <SelectField
          field={field('nodeVersion')}
          label="Node version"
          description="Automatic: the version in package.json, or 22"
          options={['', ...NODE_VERSIONS]}
          optionLabels={{ '': 'Automatic' }}
        />
        <TextField field={field('customDomain')} label="Custom domain" placeholder="shop.example.com" />
        <TextField
          field={field('rootDirectory')}
          label="Root directory"
          description="Folder of the application in a monorepo"
          placeholder="apps/web"
        />
        <TextField field={field('installCommand')} label="Install command" placeholder="npm ci" />
        <TextField
          field={field('buildCommand')}
          label="Build command"
          description="Empty: the build script of package.json, if any"
          placeholder={defaults.buildCommand ?? 'npm run build'}
        />
        <TextField
          field={field('startFile')}
          label="Start file"
          description="Empty: from package.json or the framework"
          placeholder={defaults.startFile}
        />
        <TextField
          field={field('startCommand')}
          label="Start command"
          description="Replaces the start file; “serve dist” for a static site"
          placeholder="node dist/server.js"
        />
        <TextField
          field={field('healthCheckPath')}
          label="Health-check path"
          description="A release goes live when it responds with a status below 500"
          placeholder="/"
        />
      </SimpleGrid>
    </details>
  );
}
