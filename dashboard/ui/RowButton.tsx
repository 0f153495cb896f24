import type { ButtonHTMLAttributes } from 'react';

interface RowButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  size: RowButtonSize;
  /** Colors the label red. */
  destructive?: boolean;
  /** Shows progress and disables the button. */
  loading?: boolean;
}

/** Sizes of buttons in rows, named as Mantine's. */
export type RowButtonSize = 'xs' | 'compact-xs';

/** A button in a row of a list. It looks like Mantine's button, which takes longer to render than the rest of the row. */
export const RowButton = ({ size, destructive, loading = false, disabled, ...button }: RowButtonProps) => (
  <button
    type="button"
    className={`mantine-focus-auto mantine-active row-button row-button-${size}${destructive ? ' row-warning' : ''}`}
    disabled={loading || disabled}
    data-loading={loading || undefined}
    {...button}
  />
);
