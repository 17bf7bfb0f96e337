// Defines metrics of a registry.
import { Counter, Gauge, type Registry } from "prom-client";

/** Makes metrics of this registry. */
export function define(registry: Registry) {
  const registers = [registry];
  return {
    counter: <L extends string>(name: string, help: string, labelNames: L[] = []) =>
      new Counter({ name, help, labelNames, registers }),
    /** A gauge that is read when metrics are scraped. */
    sampled(name: string, help: string, read: () => number): void {
      const gauge: Gauge = new Gauge({ name, help, registers, collect: () => gauge.set(read()) });
    },
    /** The same with labels: all of its series are set anew. */
    series<L extends string>(
      name: string,
      help: string,
      labelNames: L[],
      set: (gauge: Gauge<L>) => void,
    ): void {
      const collect = (): void => {
        gauge.reset();
        set(gauge);
      };
      const gauge: Gauge<L> = new Gauge({ name, help, labelNames, registers, collect });
    },
  };
}
