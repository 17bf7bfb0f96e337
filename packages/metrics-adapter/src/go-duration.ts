import { DurationError, parseGoDuration } from "@plimsoll/prometheus";

/** Milliseconds of a Go duration such as "1m30s", or undefined when the text is none. */
export function readGoDuration(text: string): number | undefined {
  try {
    return parseGoDuration(text);
  } catch (error) {
    if (error instanceof DurationError) {
      return undefined;
    }
    throw error;
  }
}
