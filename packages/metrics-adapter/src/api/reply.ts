import type { Freshness } from "@plimsoll/metric-rules";
import type { ProviderFailure } from "../backends/prometheus/providers/outcome.ts";
import type { Failure } from "./failure.ts";
import type { Conversion } from "./negotiate.ts";
import type { TableSource } from "./table.ts";

/** The result of a request. Serialization, headers and codes are added later, in one place each. */
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
      /** What kubectl requests instead. */
      readonly table: () => TableSource;
      /** Kind and metadata alone, where the objects have metadata of their own. */
      readonly metadata?: PartialSource | undefined;
      readonly items: number;
      /** Absent: it cannot be reused. */
      readonly freshness?: Freshness | undefined;
    }
  | {
      readonly type: "document";
      readonly body: Buffer;
      readonly etag: string;
      /** The caller has these bytes already. */
      readonly isUnchanged: boolean;
      readonly conversion: Conversion;
    }
  | {
      /** The answer of another adapter, byte for byte. */
      readonly type: "handed-on";
      readonly httpCode: number;
      readonly contentType: string;
      readonly body: Buffer;
      readonly headers: Readonly<Record<string, string>>;
    }
  | { readonly type: "failure"; readonly failure: Failure | ProviderFailure };

export interface PartialSource {
  readonly kind: string;
  readonly isList: boolean;
  readonly items: () => readonly object[];
}

export function failed(failure: Failure | ProviderFailure): Reply {
  return { type: "failure", failure };
}
