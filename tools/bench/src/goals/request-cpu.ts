// G5 and G7: CPU of a request to the adapter, beside a bare server and prometheus-adapter.
import type { CaseResult } from "../adapter/cases.ts";
import type { BenchResult } from "../adapter/report.ts";
import { atLeast, atMost, type Row, withUnit } from "./result.ts";
import { runJson } from "./run-json.ts";
import type { Session } from "./session.ts";

type Measured = Promise<{ readonly rows: readonly Row[]; readonly notes: readonly string[] }>;

/** Each kind of request, and a real Prometheus; the mix of them is measured by G6. */
export function measureRequests(session: Session): Promise<Pick<BenchResult, "cases" | "real" | "memory">> {
  return session.once("requests", async () => {
    const program = new URL("../adapter/main.ts", import.meta.url);
    const result = await runJson<BenchResult>(session, program, ["--no-mixed"]);
    session.progress("each kind of request to the adapter has been measured");
    return result;
  });
}

const micros = ({ cpuMicros }: { readonly cpuMicros: number }): string => withUnit(cpuMicros, "µs");

export const g5 = {
  id: "G5",
  title: "CPU of a request to the adapter against a bare HTTPS server that sends the same bytes",
  measure: measureCosts,
} as const;

async function measureCosts(session: Session): Measured {
  const { cases } = await measureRequests(session);
  return {
    rows: cases.flatMap((one) => {
      const floor = one[one.case.floor];
      const row = (bound: number, kind: string, measured: CaseResult["ours"]): Row =>
        atMost(bound, {
          what: `${one.case.name}, ${kind}`,
          value: measured.cpuMicros / floor.cpuMicros,
          unit: "× floor",
          also: micros(measured),
          floor: micros(floor),
        });
      return [row(2, "warm", one.ours), row(3, "cold", one.asNew)];
    }),
    notes: [
      "warm: the response is cached. Cold: this exact request was not seen before, but its Prometheus result is cached",
      "lists of 100 pods have a floor that writes them for each request; the others' floor has them ready",
    ],
  };
}

export const g7 = {
  id: "G7",
  title: "CPU of prometheus-adapter for the same request against ours, cold",
  peer: "prometheus-adapter",
  measure: measureGains,
} as const;

/** The least gain, by the beginning of a case's name. */
const gains: Readonly<Record<string, number>> = {
  external: 4,
  object: 4,
  "pods/*, 100": 80,
  "metrics.k8s.io": 15,
};

async function measureGains(session: Session): Measured {
  const { cases } = await measureRequests(session);
  if (cases.every(({ theirs }) => theirs === undefined)) return { rows: [], notes: [withoutPeer] };
  return {
    rows: cases.flatMap(({ case: { name }, theirs, asNew, ours }) => {
      const least = Object.entries(gains).find(([start]) => name.startsWith(start))?.[1];
      if (theirs === undefined || least === undefined) return [];
      const value = theirs.cpuMicros / asNew.cpuMicros;
      const also = `${micros(asNew)}; warm ${withUnit(theirs.cpuMicros / ours.cpuMicros, "×")}`;
      return [atLeast(least, { what: name, value, unit: "×", also, peer: micros(theirs) })];
    }),
    notes: ["one core for each, the bytes of both responses are the same"],
  };
}

export const withoutPeer = "not measured: set PROM_ADAPTER to the program of prometheus-adapter";
