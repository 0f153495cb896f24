import { Button, CopyButton, Group } from '@mantine/core';

/** A text with a button that copies it. */
export const CopyText = ({ text, name }: { text: string; name: string }) => (
  <Group gap="xs" wrap="nowrap" align="flex-start">
    <code className="break" style={{ flex: 1, fontSize: '0.85rem', paddingTop: 4 }}>
      {text}
    </code>
    <CopyButton value={text}>
      {({ copied, copy }) => (
        <Button
          size="compact-sm"
          variant="default"
          onClick={copy}
          aria-label={`Copy ${name}`}
          style={{ flexShrink: 0 }}
        >
          <span aria-live="polite">{copied ? 'Copied' : 'Copy'}</span>
        </Button>
      )}
    </CopyButton>
  </Group>
);
