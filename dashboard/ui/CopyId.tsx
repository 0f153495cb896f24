import { CopyButton } from '@mantine/core';

/** An API identifier; a click copies it. */
export const CopyId = ({ id }: { id: string }) => (
  <CopyButton value={id}>
    {({ copied, copy }) => (
      <button type="button" className="copy-id no-print" onClick={copy} title="Copy">
        <code className="break">{id}</code> <span aria-live="polite">{copied ? 'Copied' : 'Copy'}</span>
      </button>
    )}
  </CopyButton>
);
