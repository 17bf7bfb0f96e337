import { manualClock } from "@plimsoll/component-base/testing";
import { PrometheusError, type PrometheusErrorKind } from "@plimsoll/prometheus";
import { expect, test } from "vitest";
import { type Circuit, createCircuit } from "../../../src/backends/prometheus/circuit.ts";

type Outcome = PrometheusErrorKind | "ok";

interface Bench {
  readonly clock: ReturnType<typeof manualClock>;
  readonly circuit: Circuit;
  /** What the probe gives from now on. */
  probeGives(outcome: Outcome): void;
  /** Runs a request, and returns what came back. */
  ask(outcome: Outcome): Promise<string>;
  readonly asked: () => number;
  readonly probed: () => number;
}

function bench(failures: number): Bench {
  const clock = manualClock(0);
  let [asked, probed] = [0, 0];
  let probe: Outcome = "ok";
  const give = async (outcome: Outcome): Promise<string> => {
    if (outcome === "ok") return "answer";
    throw new PrometheusError(outcome, "no");
  };
  const circuit = createCircuit({
    clock,
    failures,
    minPauseMs: 100,
    maxPauseMs: 300,
    probe: () => {
      probed += 1;
      return give(probe);
    },
  });
  return {
    clock,
    circuit,
    probeGives: (outcome) => {
      probe = outcome;
    },
    ask: (outcome) =>
      circuit
        .run(() => {
          asked += 1;
          return give(outcome);
        })
        .catch((error: unknown) => (error instanceof PrometheusError ? error.kind : "bug")),
    asked: () => asked,
    probed: () => probed,
  };
}

test("opens after failures in a row, tries again after a pause that doubles, and closes on a response", async () => {
  const { clock, ask, asked, probed, probeGives } = bench(2);
  await ask("unreachable");
  await ask("bad_data");
  await ask("unreachable");
  expect(await ask("ok")).toBe("answer");
  expect(asked()).toBe(4);
  await ask("unreachable");
  await ask("unreachable");
  probeGives("unreachable");
  expect([await ask("ok"), asked(), probed()]).toEqual(["unreachable", 6, 1]);
  await clock.advance(99);
  expect([await ask("ok"), asked(), probed()]).toEqual(["unreachable", 6, 1]);
  await clock.advance(1);
  expect([await ask("ok"), asked(), probed()]).toEqual(["unreachable", 6, 2]);
  await clock.advance(199);
  expect([await ask("ok"), asked(), probed()]).toEqual(["unreachable", 6, 2]);
  probeGives("ok");
  await clock.advance(1);
  expect([await ask("ok"), asked(), probed()]).toEqual(["answer", 7, 3]);
  expect([await ask("ok"), asked(), probed()]).toEqual(["answer", 8, 3]);
});

test("while nothing is sent, errors say why the last request failed", async () => {
  const clock = manualClock(0);
  const fail = async (): Promise<never> => {
    throw new PrometheusError("unreachable", "certificate has expired");
  };
  const circuit = createCircuit({ clock, failures: 1, probe: fail });
  await expect(circuit.run(fail)).rejects.toThrow(/^certificate has expired$/);
  await expect(circuit.run(fail)).rejects.toThrow(/^certificate has expired$/);
  await expect(circuit.run(fail)).rejects.toThrow(
    "it could not be reached 1 times in a row (certificate has expired); retrying soon",
  );
});

test("a Prometheus that was away for a minute is used within a second of its return", async () => {
  const clock = manualClock(0);
  let isAway = true;
  const probe = async () => {
    if (isAway) throw new PrometheusError("unreachable", "no");
  };
  const circuit = createCircuit({ clock, probe });
  const isServed = () =>
    circuit.run(probe).then(
      () => true,
      () => false,
    );
  for (let n = 0; n < 600; n += 1) {
    expect(await isServed()).toBe(false);
    await clock.advance(100);
  }
  isAway = false;
  const fromMs = clock.nowMs();
  while (!(await isServed())) await clock.advance(50);
  expect(clock.nowMs() - fromMs).toBeLessThanOrEqual(1_000);
});

test("queries that are cut off cost the others a probe, and no request", async () => {
  const { ask, asked } = bench(2);
  for (let times = 0; times < 20; times += 1) await ask("unreachable");
  expect([await ask("ok"), asked()]).toEqual(["answer", 21]);
});

test.each(["timeout", "server_error", "execution", "too_large", "unauthorized"] as const)(
  "stays closed however often a query ends as %s",
  async (kind) => {
    const { ask, asked } = bench(2);
    for (let times = 0; times < 20; times += 1) expect(await ask(kind)).toBe(kind);
    expect([await ask("ok"), asked()]).toEqual(["answer", 21]);
  },
);

test("requests that fail together are one failure, and double the pause once", async () => {
  const { clock, ask, asked, probed, probeGives } = bench(2);
  const burst = (): Promise<unknown> => Promise.all(Array.from({ length: 50 }, () => ask("unreachable")));
  await burst();
  expect(await ask("ok")).toBe("answer");
  await burst();
  await burst();
  probeGives("unreachable");
  await burst();
  expect([asked(), probed()]).toEqual([151, 1]);
  probeGives("ok");
  await clock.advance(100);
  expect([await ask("ok"), asked(), probed()]).toEqual(["answer", 152, 2]);
});

test("a query that hangs does not decide whether Prometheus is reached", async () => {
  const { clock, ask, circuit, probeGives, probed } = bench(1);
  await ask("unreachable");
  await clock.advance(100);
  const hanging = circuit.run(() => new Promise<string>(() => undefined));
  expect(await ask("ok")).toBe("answer");
  expect(probed()).toBe(1);
  probeGives("timeout");
  await ask("unreachable");
  await clock.advance(100);
  expect(await ask("ok")).toBe("timeout");
  // Credentials that are refused, and the like: reached all the same.
  probeGives("unauthorized");
  await clock.advance(200);
  expect(await ask("ok")).toBe("answer");
  void hanging;
});

test("one request tries while the others wait for its outcome", async () => {
  const clock = manualClock(0);
  let answer: (value: string) => void = () => undefined;
  let probed = 0;
  const probe = (): Promise<string> => {
    probed += 1;
    return new Promise((resolve) => {
      answer = resolve;
    });
  };
  const circuit = createCircuit({ clock, failures: 1, minPauseMs: 100, probe });
  const fail = async (): Promise<never> => {
    throw new PrometheusError("unreachable", "no");
  };
  await expect(circuit.run(fail)).rejects.toThrow("no");
  const [first, second] = [circuit.run(async () => "first"), circuit.run(async () => "second")];
  answer("up");
  expect([await first, await second, probed]).toEqual(["first", "second", 1]);
});
