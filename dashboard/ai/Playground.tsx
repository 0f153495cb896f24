import { Button, Group, NativeSelect, SimpleGrid, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { IGNORED_FIELDS } from '../../contract/ai/chat.ts';
import { readDraft, saveDraft } from '../drafts.ts';
import { FailureAlert } from '../ui/FailureAlert.tsx';
import { QueryBoundary } from '../ui/QueryBoundary.tsx';
import { Section } from '../ui/Section.tsx';
import { useUrlState } from '../ui/use-url-state.ts';
import { type Model, useModels } from './api.ts';
import { Settings } from './PlaygroundSettings.tsx';
import { DEFAULT_SETTINGS, type PlaygroundSettings, settingsProblem } from './playground-code.ts';
import { Turns } from './Turns.tsx';
import { type Chat, useChat } from './use-chat.ts';

/** Chat with the models of the gateway, billed like API calls. */
export const Playground = () => (
  <Section
    title="Playground"
    description="Messages are billed like API calls: to your credits or to your own provider key."
  >
    <QueryBoundary query={useModels()}>{({ data }) => <Conversations models={data} />}</QueryBoundary>
  </Section>
);

const OTHER_MODEL = 'Other model';
/** Name of the draft, with which an unsent message survives a reload. */
const DRAFT = 'message';
const EMPTY_DRAFT = { text: '' };
const SETTINGS_DRAFT = 'playground';

/** Fields of a request that have no effect on calls to this model. */
function IgnoredFields({ model }: { model: string }) {
  const [provider = ''] = model.split('/');
  const fields = IGNORED_FIELDS[provider];
  if (!fields) return null;
  return (
    <Text size="sm" c="dimmed">
      Calls to this model ignore {fields.join(', ')}. Responses name ignored fields in X-Ignored-Parameters.
    </Text>
  );
}

/** One conversation, or two with the same messages, to compare two models. */
function Conversations({ models: offered }: { models: readonly Model[] }) {
  const models = offered.map(({ id }) => id);
  const [chosen, setChosen] = useState(models[0] ?? OTHER_MODEL);
  const [customModel, setCustomModel] = useState('');
  const [text, setText] = useState(() => readDraft(DRAFT, EMPTY_DRAFT)?.text ?? '');
  const [compared, setCompared] = useUrlState('compare');
  const second = models.includes(compared) ? compared : undefined;
  const [chat, otherChat] = [useChat('first'), useChat('second')];
  const isBusy = chat.isBusy || otherChat.isBusy;
  const [settings, setSettings] = useState<PlaygroundSettings>(
    () => readDraft(SETTINGS_DRAFT, DEFAULT_SETTINGS) ?? DEFAULT_SETTINGS,
  );
  const changeSettings = (changed: PlaygroundSettings) => {
    setSettings(changed);
    saveDraft(SETTINGS_DRAFT, DEFAULT_SETTINGS, changed);
  };
  const model = chosen === OTHER_MODEL ? customModel.trim() : chosen;
  const canSend = !isBusy && text.trim() !== '' && model !== '' && settingsProblem(settings) === undefined;
  const changeText = (changed: string) => {
    setText(changed);
    saveDraft(DRAFT, EMPTY_DRAFT, { text: changed });
  };
  const send = (event?: FormEvent) => {
    event?.preventDefault();
    if (!canSend) return;
    changeText('');
    void chat.send(model, text, settings);
    if (second !== undefined) void otherChat.send(second, text, settings);
  };
  const clear = () => {
    chat.clear();
    otherChat.clear();
  };
  const stop = () => {
    chat.stop();
    otherChat.stop();
  };
  const show = (shown: Chat, shownModel: string, name: string) => (
    <Stack gap="sm">
      <Turns
        name={name}
        turns={shown.turns}
        busy={shown.isBusy}
        priceOf={(id) => offered.find((offer) => offer.id === id)}
      />
      {shown.error !== undefined && (
        <FailureAlert error={shown.error} retry={() => void shown.retry(shownModel, settings)} isRead={false} />
      )}
    </Stack>
  );
  return (
    <Stack>
      <Group align="flex-end">
        <NativeSelect
          label="Model"
          data={[...models, OTHER_MODEL]}
          value={chosen}
          onChange={(event) => setChosen(event.currentTarget.value)}
        />
        {chosen === OTHER_MODEL && (
          <TextInput
            label="Model of a provider with a saved key"
            placeholder="openai/gpt-5"
            value={customModel}
            onChange={(event) => setCustomModel(event.currentTarget.value)}
          />
        )}
        <NativeSelect
          label="Compare with"
          data={[{ value: '', label: 'No other model' }, ...models]}
          value={second ?? ''}
          onChange={(event) => setCompared(event.currentTarget.value)}
        />
        <Button variant="default" onClick={clear} disabled={chat.turns.length + otherChat.turns.length === 0}>
          New chat
        </Button>
      </Group>
      <IgnoredFields model={model} />
      <Settings
        settings={settings}
        change={changeSettings}
        model={model}
        messages={[
          ...chat.turns.filter(({ failed }) => !failed).map(({ role, content }) => ({ role, content })),
          ...(text.trim() === '' ? [] : [{ role: 'user', content: text }]),
        ]}
      />
      {second === undefined ? (
        show(chat, model, 'Conversation')
      ) : (
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          {show(chat, model, `Conversation with ${model}`)}
          {show(otherChat, second, `Comparison with ${second}`)}
        </SimpleGrid>
      )}
      <form onSubmit={send}>
        <Group align="flex-end" gap="xs">
          <Textarea
            label="Message"
            placeholder="Message…"
            value={text}
            onChange={(event) => changeText(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) {
                event.preventDefault();
                send();
              }
            }}
            autosize
            minRows={1}
            maxRows={8}
            style={{ flex: 1 }}
          />
          {isBusy ? (
            // Stop replaces Send, so the second click of a double click must not stop the response.
            <Button variant="default" onClick={({ detail }) => detail > 1 || stop()}>
              Stop
            </Button>
          ) : (
            <Button type="submit" disabled={!canSend}>
              Send
            </Button>
          )}
        </Group>
        <Text size="xs" c="dimmed" mt={4}>
          Press Enter to send, Shift+Enter for a new line.
        </Text>
      </form>
    </Stack>
  );
}
