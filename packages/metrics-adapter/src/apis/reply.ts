import type { Again } from "../provider/again.ts";
import type { ProviderFailure } from "../provider/provider.ts";
import type { Failure } from "../server/failure.ts";
import type { Conversion } from "../server/negotiate.ts";
import type { Table } from "../server/table.ts";

/** What a handler answers. Serialisation, headers and codes come later, in one place each. */
export type Reply =
  | {
      readonly type: "object";
      readonly object: object;
      /** The same as compact JSON with its line feed, where that is kept. */
      readonly body?: (() => string | Buffer) | undefined;
    }
  | {
      readonly type: "metrics";
      readonly object: () => object;
      /** The same object as compact JSON, where writing that directly is cheaper. */
      readonly json?: (() => string) | undefined;
      /** The same as compact JSON with its line feed, where that is kept. */
      readonly body?: (() => string | Buffer) | undefined;
      /** Present where kubectl may ask for a table instead. */
      readonly table: () => Table;
      readonly items: number;
      /** Absent: nobody knows for how long it is the answer. */
      readonly again?: Again | undefined;
    }
  | {
      readonly type: "document";
      readonly body: Buffer;
      readonly etag: string;
      /** The caller has these bytes already. */
      readonly isUnchanged: boolean;
      readonly conversion: Conversion;
    }
  | { readonly type: "failure"; readonly failure: Failure | ProviderFailure };

export function failed(failure: Failure | ProviderFailure): Reply {
  return { type: "failure", failure };
}
