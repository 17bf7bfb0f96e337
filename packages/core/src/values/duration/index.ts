// Durations as Go reads and prints them, in milliseconds.
export { formatGoDuration, parseGoDuration } from "./go-duration.ts";
