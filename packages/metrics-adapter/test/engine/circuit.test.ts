import { manualClock } from "@plimsoll/kube/testing";
import { PrometheusError, type PrometheusErrorKind } from "@plimsoll/prometheus";
import { expect, test } from "vitest";
import { createCircuit } from "../../src/query/circuit.ts";

test("opens after failures in a row, tries again after a pause that doubles, and closes on an answer", async () => {
  const clock = manualClock(0);
  const circuit = createCircuit({ clock, failures: 2, pauseMs: 100, longestPauseMs: 300 });
  let asked = 0;
  const request = async (outcome: PrometheusErrorKind | "ok"): Promise<string> => {
    const work = async (): Promise<string> => {
      asked += 1;
      if (outcome === "ok") return "answer";
      throw new PrometheusError(outcome, "no");
    };
    return await circuit
      .run(work)
      .catch((error: unknown) => (error instanceof PrometheusError ? error.kind : "bug"));
  };
  await request("timeout");
  await request("bad_data");
  await request("unreachable");
  expect(await request("ok")).toBe("answer");
  expect(asked).toBe(4);
  await request("unreachable");
  await request("timeout");
  expect([await request("ok"), asked]).toEqual(["unreachable", 6]);
  await clock.advance(100);
  expect([await request("timeout"), asked]).toEqual(["timeout", 7]);
  await clock.advance(199);
  expect([await request("ok"), asked]).toEqual(["unreachable", 7]);
  await clock.advance(1);
  expect([await request("ok"), asked]).toEqual(["answer", 8]);
  expect([await request("ok"), asked]).toEqual(["answer", 9]);
});

test("one request tries while the others wait for its outcome", async () => {
  const clock = manualClock(0);
  const circuit = createCircuit({ clock, failures: 1, pauseMs: 100 });
  const fail = async (): Promise<never> => {
    throw new PrometheusError("unreachable", "no");
  };
  await expect(circuit.run(fail)).rejects.toThrow("no");
  await clock.advance(100);
  let answer: (value: string) => void = () => undefined;
  const trying = circuit.run(
    () =>
      new Promise<string>((resolve) => {
        answer = resolve;
      }),
  );
  await expect(circuit.run(async () => "second")).rejects.toThrow(/in a row/);
  answer("first");
  expect(await trying).toBe("first");
  expect(await circuit.run(async () => "third")).toBe("third");
});
