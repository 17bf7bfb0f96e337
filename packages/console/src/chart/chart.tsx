// A chart as a labelled figure: a sentence, a drawing with a cursor that can be moved and is read out, and its data.
import { useContext, useEffect, useRef, useState } from "preact/hooks";
import { ConsoleContext } from "../context/console.ts";
import { PlainTable } from "../ui/plain-table.tsx";
import { clockText } from "../ui/words.ts";
import type { Plot } from "./plot.ts";
import { momentText, numberText, sentenceOf } from "./sentence.ts";
import type { ChartData } from "./series.ts";
import { ThemeContext } from "./theme.ts";

interface ChartProps {
  readonly data: ChartData;
  readonly id: string;
  readonly height: number;
  /** Whether the data are shown in place of the drawing. */
  readonly isTable: boolean;
}

export function Chart({ data, id, height, isTable }: ChartProps) {
  return (
    <figure class="chart" aria-labelledby={`${id}-title`} aria-describedby={`${id}-sentence`}>
      <figcaption>
        <h3 id={`${id}-title`}>{data.title}</h3>
        <Legend data={data} />
        <p id={`${id}-sentence`} class="unseen">
          {sentenceOf(data)}
        </p>
      </figcaption>
      {isTable ? <DataTable data={data} /> : <Drawing data={data} height={height} />}
    </figure>
  );
}

function Legend({ data }: { readonly data: ChartData }) {
  return (
    <ul class="legend">
      {data.lines.map(({ name, kind, values }) => {
        const newest = values.findLast((value) => value !== null);
        return newest === undefined ? null : (
          <li key={kind + name} class={kind}>
            {name} <b>{numberText(newest ?? null, data.unit)}</b>
          </li>
        );
      })}
    </ul>
  );
}

const steps: Readonly<Record<string, (index: number, last: number) => number>> = {
  ArrowLeft: (index) => index - 1,
  ArrowRight: (index) => index + 1,
  PageUp: (index) => index - 10,
  PageDown: (index) => index + 10,
  Home: () => 0,
  End: (_, last) => last,
};

/** A slider over the instants: its value is what the cursor is on. */
function Drawing({ data, height }: { readonly data: ChartData; readonly height: number }) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<Plot | undefined>(undefined);
  const [index, setIndex] = useState<number>();
  const last = data.times.length - 1;
  const theme = useTheme();
  usePlot(place, plot, { data, height, theme, onCursor: setIndex });
  const at = Math.min(index ?? last, last);
  return (
    <div
      class="drawing"
      role="slider"
      tabIndex={0}
      aria-label={`${data.title}: moment`}
      aria-valuemin={0}
      aria-valuemax={Math.max(0, last)}
      aria-valuenow={Math.max(0, at)}
      aria-valuetext={momentText(data, at)}
      onKeyDown={(event) => {
        const step = steps[event.key];
        if (step === undefined) return;
        event.preventDefault();
        const next = Math.min(last, Math.max(0, step(at, last)));
        setIndex(next);
        plot.current?.setCursor(next);
      }}
      onBlur={() => {
        setIndex(undefined);
        plot.current?.setCursor(undefined);
      }}
    >
      <div class="canvas" ref={place} aria-hidden="true" style={{ minHeight: `${height}px` }} />
      <p class="moment" aria-hidden="true">
        {index === undefined ? "\u00A0" : momentText(data, at)}
      </p>
    </div>
  );
}

/** The colors are read when a chart is drawn: another theme draws it again. */
function useTheme(): string {
  const around = useContext(ThemeContext);
  const chosen = useContext(ConsoleContext)?.settings.theme.value ?? around;
  const query = "(prefers-color-scheme: dark)";
  const [isDark, set] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const media = matchMedia(query);
    const follow = () => set(media.matches);
    media.addEventListener("change", follow);
    return () => media.removeEventListener("change", follow);
  }, []);
  return `${chosen} ${isDark}`;
}

interface UsePlot {
  readonly data: ChartData;
  readonly height: number;
  readonly theme: string;
  readonly onCursor: (index: number | undefined) => void;
}

/** The code that draws comes when the first chart is shown. */
function usePlot(
  place: { readonly current: HTMLDivElement | null },
  plot: { current: Plot | undefined },
  { data, height, theme, onCursor }: UsePlot,
): void {
  const newest = useRef(data);
  newest.current = data;
  const shape = `${theme} ${data.title} ${data.lines.map(({ name }) => name).join()}`;
  useEffect(() => {
    let isGone = false;
    const element = place.current;
    const resized = new ResizeObserver(() => plot.current?.resize(element?.clientWidth ?? 0));
    const draw = async (): Promise<void> => {
      const { createPlot } = await import("./plot.ts");
      if (isGone || element === null) return;
      plot.current = createPlot({ place: element, data: newest.current, height, onCursor });
      resized.observe(element);
    };
    void draw();
    return () => {
      isGone = true;
      resized.disconnect();
      plot.current?.destroy();
      plot.current = undefined;
    };
  }, [shape]);
  useEffect(() => plot.current?.setData(data), [data]);
}

/** Newest first, as the list of decisions. */
function DataTable({ data: { title, times, lines, unit } }: { readonly data: ChartData }) {
  const rows = times.map((at, index) => [
    clockText(at * 1000),
    ...lines.map(({ values }) => numberText(values[index] ?? null, unit)),
  ]);
  const heads = ["Time", ...lines.map(({ name }) => name)];
  return <PlainTable label={`${title}, values`} heads={heads} rows={rows.reverse()} numbersFrom={1} />;
}
