import { useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { Icon } from '../ui/Icon.tsx';

/** Switches between light and dark. The system's setting applies until the user chooses. */
export function SchemeToggle() {
  const { setColorScheme } = useMantineColorScheme();
  const other = useComputedColorScheme('light') === 'dark' ? 'light' : 'dark';
  const name = `Switch to ${other} colours`;
  return (
    <button
      type="button"
      className="header-button"
      aria-label={name}
      title={name}
      onClick={() => setColorScheme(other)}
    >
      <Icon name={other === 'dark' ? 'moon' : 'sun'} />
    </button>
  );
}
