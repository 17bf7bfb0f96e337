// Reads what a backend lists, out of a document that may be anything, as its bytes arrive.
import { type Fields, isFields } from "@plimsoll/core/internal/values";
import { splitJsonItems } from "@plimsoll/core/json-items";
import type { BackendMatch, FederatedGroup } from "../config/federation-config.ts";

/** Names as discovery has them, such as pods/requests or queue_length; whether each is in namespaces. */
export type ListedNames = ReadonlyMap<string, boolean>;

/** The names, or why the document is none of this kind. */
export type ReadList =
  | {
      readonly ok: true;
      readonly names: ListedNames;
      readonly dropped: number;
      /** How many it lists, where not all are read. */
      readonly cutFrom: number | undefined;
    }
  | { readonly ok: false; readonly message: string };

/** Whose list, and which names are read where there are too many. */
export interface ListOptions {
  readonly group: FederatedGroup;
  readonly match: Pick<BackendMatch, "metrics">;
  /** The list before: what is still listed stays, whatever the order. */
  readonly known: ListedNames;
}

/** A list on its way. */
export type ListReader = ReturnType<typeof createListReader>;

/** Of one version of one group. */
export const maxNames = 10_000;
/** Each is looked at, and a few of them kept. */
const maxRows = 200_000;
const maxRowBytes = 16 * 1024;
const maxRestBytes = 64 * 1024;
/** Parts of a path, without what would change how it is read. */
const part = /^[^\s/%?#\p{C}]{1,253}$/u;
/** What adapters list where they cannot list what they have, or have nothing. */
export const placeholders: ReadonlySet<string> = new Set(["externalmetrics", "custommetrics"]);

const notAList: ReadList = { ok: false, message: "its list of resources is not an APIResourceList" };

/** Reads an APIResourceList. Names that no request can have are dropped, and so are placeholders. */
export function createListReader(options: ListOptions) {
  const names = createNames(options);
  let rows = 0;
  let dropped = 0;
  const onItem = (bytes: Uint8Array): void => {
    rows += 1;
    if (rows > maxRows) throw new Error(`its list has more than ${maxRows} resources`);
    const parsed = parse(bytes);
    const row: Fields = isFields(parsed) ? parsed : {};
    const { name } = row;
    if (typeof name === "string" && placeholders.has(name)) return;
    if (typeof name === "string" && isName(options.group, name)) names.add(name, row);
    else dropped += 1;
  };
  const splitter = splitJsonItems({
    path: ["resources"],
    maxItemBytes: maxRowBytes,
    maxRestBytes,
    onItem,
    onOversized: () => void (dropped += 1),
  });
  return {
    /** @throws when it is not JSON, or far longer than a list can be */
    push: splitter.push,
    end(): ReadList {
      try {
        const document = parse(splitter.end());
        const isList = isFields(document) && document["kind"] === "APIResourceList";
        return isList && Array.isArray(document["resources"])
          ? { ok: true, dropped, ...names.end() }
          : notAList;
      } catch {
        return notAList;
      }
    },
  };
}

/** The limit of names; of more, the first that match are kept. */
function createNames({ match: { metrics }, known }: ListOptions) {
  const matching = new Map<string, boolean>();
  const others = new Map<string, boolean>();
  let count = 0;
  return {
    add(name: string, { namespaced }: Fields): void {
      count += 1;
      const metric = name.slice(name.indexOf("/") + 1);
      const into = metrics?.some((pattern) => pattern.matches(metric)) === false ? others : matching;
      if (into.size < maxNames || known.has(name)) into.set(name, namespaced === true);
    },
    end(): { readonly names: ListedNames; readonly cutFrom: number | undefined } {
      if (count <= maxNames) return { names: new Map([...matching, ...others]), cutFrom: undefined };
      const kept = [...matching].filter(([name]) => known.has(name));
      const fresh = [...matching].filter(([name]) => !known.has(name));
      return { names: new Map([...kept, ...fresh].slice(0, maxNames)), cutFrom: count };
    },
  };
}

/** @throws SyntaxError */
function parse(bytes: Uint8Array): unknown {
  return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8"));
}

function isName(group: FederatedGroup, name: string): boolean {
  const parts = name.split("/");
  const count = group === "external.metrics.k8s.io" ? 1 : 2;
  return parts.length === count && parts.every((one) => part.test(one));
}
