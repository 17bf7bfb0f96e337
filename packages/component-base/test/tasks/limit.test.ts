import { expect, test } from "vitest";
import { createLimit } from "../../src/tasks/limit.ts";

test("runs so many at a time, the others in order, and frees the place of one that fails", async () => {
  const limit = createLimit(2);
  const started: number[] = [];
  const ends: { resolve: () => void; reject: (error: Error) => void }[] = [];
  const runs = [0, 1, 2, 3].map((at) =>
    limit(() => {
      started.push(at);
      return new Promise<void>((resolve, reject) => {
        ends[at] = { resolve, reject };
      });
    }),
  );
  const throwing = limit(() => {
    throw new Error("at once");
  });
  const settled = Promise.allSettled([...runs, throwing]);
  await Promise.resolve();
  expect(started).toEqual([0, 1]);
  ends[1]?.reject(new Error("failed"));
  await runs[1]?.catch(() => undefined);
  await Promise.resolve();
  expect(started).toEqual([0, 1, 2]);
  ends[0]?.resolve();
  ends[2]?.resolve();
  await expect(throwing).rejects.toThrow("at once");
  ends[3]?.resolve();
  expect((await settled).map(({ status }) => status)).toEqual([
    "fulfilled",
    "rejected",
    "fulfilled",
    "fulfilled",
    "rejected",
  ]);
  expect(started).toEqual([0, 1, 2, 3]);
});
