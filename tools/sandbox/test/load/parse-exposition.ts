/** `name{labels}` → value, of the Prometheus text format as the exporter writes it. */
export function parseExposition(text: string): ReadonlyMap<string, number> {
  const series = new Map<string, number>();
  for (const line of text.split("\n")) {
    if (line === "" || line.startsWith("#")) continue;
    const [, name, value] = /^(.*[^ ]) (\S+)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) throw new Error(`not a sample: ${line}`);
    if (series.has(name)) throw new Error(`twice: ${name}`);
    series.set(name, value === "+Inf" ? Number.POSITIVE_INFINITY : Number(value));
  }
  return series;
}
