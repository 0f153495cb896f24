import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

/** One line or row of bars of a chart. */
export interface Series {
  label: string;
  /** A value for each time; null where there is none. */
  values: readonly (number | null)[];
  /** Top edges of bars that are stacked on those of later series; the values if omitted. */
  tops?: readonly number[];
  /** Name of a CSS variable of chart.css. */
  color: string;
  kind: 'bars' | 'line';
  /** Dashes of a line in pixels, so that lines differ by more than their color. */
  dash?: readonly number[];
}

/** A time that is marked on the time axis. */
export interface Mark {
  /** Unix time in seconds. */
  at: number;
}

export interface ChartData {
  /** Unix times in seconds, evenly spaced. */
  times: readonly number[];
  series: readonly Series[];
  marks: readonly Mark[];
  format: (value: number) => string;
  /** Called with the index of the time under the pointer; null outside. */
  onCursor: (index: number | null) => void;
  onPick: ((index: number) => void) | undefined;
}

export interface Chart {
  setCursor(index: number): void;
  destroy(): void;
}

const HEIGHT = 180;
const AXIS_WIDTH = 56;
const DAY_S = 86_400;

const dayFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const clockFormat = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });

/** Draws a chart into an element and follows its width. */
export function drawChart(target: HTMLElement, { times, series, marks, format, onCursor, onPick }: ChartData): Chart {
  const period = (times[1] ?? 0) - (times[0] ?? 0);
  const style = getComputedStyle(target);
  const color = (name: string) => style.getPropertyValue(name).trim();
  const font = `11px ${style.fontFamily}`;
  const axis = { stroke: color('--chart-text'), font, ticks: { show: false } };
  const grid = { stroke: color('--line'), width: 1 };
  const bars = UPlot.paths.bars?.({ size: [0.8, 40], radius: 0.15 });

  const drawMarks = ({ ctx, bbox, valToPos, scales }: UPlot): void => {
    ctx.save();
    ctx.strokeStyle = color('--chart-mark');
    ctx.fillStyle = color('--chart-mark');
    ctx.lineWidth = devicePixelRatio;
    for (const { at } of marks) {
      if (at < (scales.x?.min ?? 0) || at > (scales.x?.max ?? 0)) continue;
      const x = Math.round(valToPos(at, 'x', true));
      const size = 5 * devicePixelRatio;
      ctx.setLineDash([3 * devicePixelRatio, 3 * devicePixelRatio]);
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
      ctx.beginPath();
      ctx.moveTo(x - size, bbox.top);
      ctx.lineTo(x + size, bbox.top);
      ctx.lineTo(x, bbox.top + size);
      ctx.fill();
    }
    ctx.restore();
  };

  const plot = new UPlot(
    {
      width: target.clientWidth,
      height: HEIGHT,
      // Room for the half of the last label that is right of the last time.
      padding: [8, 20, 0, 0],
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
      scales: {
        // From half a period before the first time to a whole one after the last, where a deployment may be marked.
        x: { time: true, range: () => [(times[0] ?? 0) - period / 2, (times.at(-1) ?? 0) + period] },
        y: { range: (_, __, max) => [0, Math.max(1, max * 1.1)] },
      },
      axes: [
        {
          ...axis,
          grid: { show: false },
          size: 28,
          space: 64,
          values: (_, splits, __, ___, step) =>
            splits.map((at) => (step >= DAY_S ? dayFormat : clockFormat).format(at * 1000)),
        },
        { ...axis, grid, size: AXIS_WIDTH, space: 36, values: (_, splits) => splits.map(format) },
      ],
      series: [
        {},
        ...series.map(({ label, color: name, kind, dash }) => ({
          label,
          stroke: color(name),
          width: kind === 'bars' ? 0 : 2,
          points: { show: false },
          ...(kind === 'bars' ? { fill: color(name), ...(bars ? { paths: bars } : {}) } : {}),
          ...(dash ? { dash: [...dash] } : {}),
        })),
      ],
      hooks: {
        draw: [drawMarks],
        setCursor: [({ cursor }) => onCursor(cursor.idx ?? null)],
      },
    },
    [[...times], ...series.map(({ values, tops }) => [...(tops ?? values)])],
    target,
  );
  if (onPick) plot.over.addEventListener('click', () => plot.cursor.idx != null && onPick(plot.cursor.idx));
  const observer = new ResizeObserver(() => plot.setSize({ width: target.clientWidth, height: HEIGHT }));
  observer.observe(target);
  return {
    setCursor: (index) => plot.setCursor({ left: plot.valToPos(times[index] ?? 0, 'x'), top: 1 }),
    destroy() {
      observer.disconnect();
      plot.destroy();
    },
  };
}
