// A recording as lines of JSON: a header, one element a line, and an end by which a file that was cut off or changed is found.
import type {
  RecordedMetric,
  RecordedPod,
  RecordedSample,
  RecordedStep,
  Recording,
  StatusTriple,
} from "./recording.ts";
import { type LineCheck, RecordingError, recordingChecks } from "./recording-checks.ts";

const version = 1;
/** So many instants are on one line. */
const instantsPerLine = 1000;

/** The lines, each with its end. */
export function* recordingLines(recording: Recording): Generator<string> {
  const digest = createDigest();
  let lines = 0;
  for (const part of parts(recording)) {
    const line = JSON.stringify(part);
    digest.add(line);
    lines++;
    yield `${line}\n`;
  }
  yield `${JSON.stringify({ end: { lines, digest: digest.text() } })}\n`;
}

function* parts({ syncs, pods, scale, metrics, status, ...header }: Recording): Generator<object> {
  const { version: written, ...rest } = header;
  yield { recording: written, ...rest, clock: syncs.clock };
  for (let from = 0; from < syncs.atMs.length; from += instantsPerLine)
    yield { syncs: syncs.atMs.slice(from, from + instantsPerLine) };
  for (const pod of pods) yield { pod };
  for (const step of scale) yield { scale: step };
  for (const { samples, ...metric } of metrics) {
    yield { metric };
    for (const sample of samples) yield { sample };
  }
  for (const triple of status) yield { status: triple };
}

/** Takes the lines of a recording, one at a time. */
export interface RecordingReader {
  /** @throws RecordingError naming the line and the remedy */
  add(line: string): void;
  /** @throws RecordingError where the end is missing */
  end(): Recording;
}

type Metric = RecordedMetric & { readonly samples: RecordedSample[] };
type Header = Pick<Recording, "target" | "span" | "autoscaler"> & {
  readonly clock: Recording["syncs"]["clock"];
};

interface Elements {
  readonly syncs: number[];
  readonly pods: RecordedPod[];
  readonly scale: RecordedStep[];
  readonly metrics: Metric[];
  readonly status: StatusTriple[];
}

interface End {
  readonly lines: number;
  readonly digest: string;
}

/** Reads what `recordingLines` wrote. */
export function createRecordingReader(): RecordingReader {
  const digest = createDigest();
  const elements: Elements = { syncs: [], pods: [], scale: [], metrics: [], status: [] };
  let header: Header | undefined;
  let [line, isComplete] = [0, false];
  return {
    add(text) {
      line++;
      const check = recordingChecks(line);
      if (isComplete) check.fail("", "is after the end of the recording");
      const value = check.parse(text);
      if (header === undefined) {
        header = check.header(value, version) as Header;
      } else {
        const { kind, element } = check.element(value);
        if (kind !== "end") take[kind]?.(elements, element as never, check);
        else isComplete = checkEnd(element as End, { lines: line - 1, digest: digest.text() }, check);
      }
      digest.add(text);
    },
    end() {
      if (header === undefined) throw new RecordingError("the recording is empty: record it again");
      if (!isComplete) {
        throw new RecordingError(
          `line ${line}: the recording is cut off after it: record it again, or copy the whole file`,
        );
      }
      const { clock, target, span, autoscaler } = header;
      const { syncs, ...rest } = elements;
      return { version, target, span, autoscaler, syncs: { atMs: syncs, clock }, ...rest };
    },
  };
}

const take: Readonly<Record<string, (into: Elements, value: never, check: LineCheck) => void>> = {
  syncs: ({ syncs }, value: readonly number[]) => {
    for (const atMs of value) syncs.push(atMs);
  },
  pod: ({ pods }, value: RecordedPod) => pods.push(value),
  scale: ({ scale }, value: RecordedStep) => scale.push(value),
  metric: ({ metrics }, value: Omit<RecordedMetric, "samples">) => metrics.push({ ...value, samples: [] }),
  sample: ({ metrics }, value: RecordedSample, { fail }) =>
    (metrics.at(-1) ?? fail("sample", "is before any metric")).samples.push(value),
  // JSON has no undefined in a list.
  status: ({ status }, value: StatusTriple) =>
    status.push({ ...value, values: value.values.map((one) => one ?? undefined) }),
};

function checkEnd(written: End, read: End, { fail }: LineCheck): true {
  if (written.lines !== read.lines)
    fail("end.lines", `is ${written.lines} after ${read.lines} lines: lines are missing or added`);
  if (written.digest !== read.digest)
    fail("end.digest", "doesn't match the lines: the recording was changed after it was written");
  return true;
}

/** Finds lines that were changed by accident; it protects against nothing else. FNV-1a of 32 bits, twice. */
function createDigest(): { add(line: string): void; text(): string } {
  let [a, b] = [0x811c9dc5, 0x01234567];
  return {
    add(line) {
      for (let n = 0; n < line.length; n++) {
        const unit = line.charCodeAt(n);
        a = Math.imul(a ^ unit, 0x01000193);
        b = Math.imul(b ^ unit, 0x01000193);
      }
      a = Math.imul(a ^ 10, 0x01000193);
      b = Math.imul(b + line.length, 0x01000193);
    },
    text: () => [a, b].map((half) => (half >>> 0).toString(16).padStart(8, "0")).join(""),
  };
}
