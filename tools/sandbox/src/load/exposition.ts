// Writes series in the text format of Prometheus.
import type { Family } from "./family.ts";

export const expositionContentType = "text/plain; version=0.0.4; charset=utf-8";

export interface ExpositionOptions {
  /** Stamps every sample with this instant. Prometheus then keeps a vanished series for its look-back time. */
  readonly timestampMs?: number;
}

/** Families in the Prometheus text format 0.0.4. */
export function renderExposition(families: readonly Family[], options: ExpositionOptions = {}): string {
  const stamp = options.timestampMs === undefined ? "" : ` ${Math.round(options.timestampMs)}`;
  const lines: string[] = [];
  for (const { name, type, help, samples } of families) {
    if (samples.length === 0) continue;
    lines.push(`# HELP ${name} ${escapeHelp(help)}`, `# TYPE ${name} ${type}`);
    for (const { labels, value } of samples) {
      lines.push(`${name}${renderLabels(labels)} ${renderValue(value)}${stamp}`);
    }
  }
  return lines.length === 0 ? "" : `${lines.join("\n")}\n`;
}

function renderLabels(labels: Readonly<Record<string, string>>): string {
  let text = "";
  for (const [name, value] of Object.entries(labels)) {
    text += `${text === "" ? "{" : ","}${name}="${escapeLabel(value)}"`;
  }
  return text === "" ? "" : `${text}}`;
}

function renderValue(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return "+Inf";
  if (value === Number.NEGATIVE_INFINITY) return "-Inf";
  return String(value);
}

function escapeLabel(value: string): string {
  return /[\\"\n]/.test(value)
    ? value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")
    : value;
}

function escapeHelp(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}
