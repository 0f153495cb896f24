import type { ButtonHTMLAttributes } from 'react';

interface RowButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  size: RowButtonSize;
  /** Colours the label red. */
  destructive?: boolean;
  /** Shows progress, and takes no further clicks. */
  loading?: boolean;
}

/** Sizes of buttons in rows; those of Mantine's. */
export type RowButtonSize = 'xs' | 'compact-xs';

/** A button in a row of a list: it looks like Mantine's, which takes longer to render than the rest of the row. */
export const RowButton = ({ size, destructive, loading = false, disabled, ...button }: RowButtonProps) => (
  <button
    type="button"
    className={`mantine-focus-auto mantine-active row-button row-button-${size}${destructive ? ' row-warning' : ''}`}
    disabled={loading || disabled}
    data-loading={loading || undefined}
    {...button}
  />
);
