import { VisuallyHidden } from '@mantine/core';
import { type ComponentType, useCallback, useEffect, useState } from 'react';
import { Icon } from '../ui/Icon.tsx';
import { toastError } from '../ui/toast.ts';

const isMac = navigator.platform.startsWith('Mac');

type PaletteType = ComponentType<{ close: () => void }>;

/** Opens the command palette, on a click or with Ctrl-K. Its script is loaded on first use, and again after a failure. */
export function PaletteButton() {
  const [Palette, setPalette] = useState<PaletteType>();
  const [isOpen, setIsOpen] = useState(false);
  const open = useCallback(async () => {
    setIsOpen(true);
    try {
      const loaded = await import('./Palette.tsx');
      setPalette(() => loaded.default);
    } catch (error) {
      setIsOpen(false);
      toastError(error);
    }
  }, []);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey)
        return;
      event.preventDefault();
      void open();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [open]);
  return (
    <>
      <button
        type="button"
        className="header-button search-button"
        aria-haspopup="dialog"
        aria-keyshortcuts="Control+K Meta+K"
        onClick={() => void open()}
      >
        <Icon name="search" />
        <VisuallyHidden>Search</VisuallyHidden>
        <kbd>{isMac ? '⌘K' : 'Ctrl K'}</kbd>
      </button>
      {isOpen && Palette && <Palette close={() => setIsOpen(false)} />}
    </>
  );
}
