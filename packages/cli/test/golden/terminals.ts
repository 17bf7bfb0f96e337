// The terminals that outputs are looked at on.
import type { Terminal } from "../../src/seams.ts";

/** Standard output that another program reads. */
export const pipe: Terminal = { isTty: false, columns: undefined, isUtf8: true };

export const terminals: readonly (readonly [name: string, terminal: Terminal])[] = [80, 160].flatMap(
  (columns) =>
    [true, false].map(
      (isUtf8) => [`${columns}-${isUtf8 ? "utf8" : "ascii"}`, { isTty: true, columns, isUtf8 }] as const,
    ),
);
