import { Button, CopyButton, Group, NativeSelect, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import {
  LANGUAGES,
  type Language,
  type PlaygroundSettings,
  settingsProblem,
  toCode,
  toRequest,
} from './playground-code.ts';

interface SettingsProps {
  settings: PlaygroundSettings;
  change: (settings: PlaygroundSettings) => void;
  model: string;
  /** The conversation so far, including the message being typed. */
  messages: readonly { role: string; content: string }[];
}

/** The system prompt, the parameters, and code for the same call. */
export function Settings({ settings, change, model, messages }: SettingsProps) {
  const [isOpen, setIsOpen] = useState(false);
  const [language, setLanguage] = useState<Language>('curl');
  const problem = settingsProblem(settings);
  const code = toCode(language, `${location.origin}/ai/v1`, toRequest(model, messages, settings));
  const set = (part: Partial<PlaygroundSettings>) => change({ ...settings, ...part });
  return (
    <details
      className="card"
      style={{ padding: 'var(--mantine-spacing-md)' }}
      onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}
    >
      <summary>System prompt, parameters and code</summary>
      {isOpen && (
        <Stack gap="sm" mt="sm">
          <Textarea
            label="System prompt"
            value={settings.system}
            onChange={({ currentTarget }) => set({ system: currentTarget.value })}
            autosize
            minRows={2}
            maxRows={8}
          />
          <Group gap="sm" align="flex-start">
            <TextInput
              label="Temperature (0 to 2)"
              placeholder="Default"
              inputMode="decimal"
              value={settings.temperature}
              onChange={({ currentTarget }) => set({ temperature: currentTarget.value })}
            />
            <TextInput
              label="Maximum tokens"
              placeholder="Default"
              inputMode="numeric"
              value={settings.maxTokens}
              onChange={({ currentTarget }) => set({ maxTokens: currentTarget.value })}
            />
          </Group>
          {problem && (
            <Text size="sm" c="var(--mantine-color-error)" role="alert">
              {problem}
            </Text>
          )}
          <Group gap="xs">
            <NativeSelect
              size="xs"
              aria-label="Language"
              data={[...LANGUAGES]}
              value={language}
              onChange={({ currentTarget: { value } }) =>
                setLanguage(LANGUAGES.find((option) => option.value === value)?.value ?? 'curl')
              }
            />
            <CopyButton value={code}>
              {({ copied, copy }) => (
                <Button size="xs" variant="default" onClick={copy}>
                  <span aria-live="polite">{copied ? 'Copied' : 'Copy code'}</span>
                </Button>
              )}
            </CopyButton>
          </Group>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard */}
          <pre className="log" tabIndex={0} style={{ maxHeight: '14rem' }}>
            {code}
          </pre>
        </Stack>
      )}
    </details>
  );
}
