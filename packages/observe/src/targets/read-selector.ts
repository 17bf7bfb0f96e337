// Parses and caches the selector of a scale.
import { type Clock, cacheTiming, createComputedCache } from "@plimsoll/component-base";
import { parseSelector, type Selector, SelectorError } from "@plimsoll/core/selector";

const maxBytes = 32 * 1024 * 1024;
/** A longer one is read each time. */
const maxLength = 10_000;

/** Reads the text of a scale's selector, each once; undefined for what selects nothing, or cannot be read. */
export function createSelectorReader(clock: Clock): (text: string) => Selector | undefined {
  const known = createComputedCache<undefined, Selector | undefined>({
    ...cacheTiming(clock),
    name: "selectors",
    maxBytes,
    maxKeyLength: maxLength,
    // Its requirements take some times what its text does.
    sizeOf: (selector) => (selector === undefined ? 0 : 1_000 + 8 * selector.toString().length),
  });
  return (text) => known.get(text, undefined, read);
}

function read(text: string): Selector | undefined {
  if (text === "") return undefined;
  try {
    return parseSelector(text);
  } catch (error) {
    if (error instanceof SelectorError) return undefined;
    throw error;
  }
}
