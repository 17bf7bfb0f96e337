// Units of time in milliseconds, and of memory in bytes.
export const secondMs = 1000;
export const minuteMs = 60 * secondMs;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;
/** No year is longer. */
export const yearMs = 366 * dayMs;

export const mebibyte = 1024 * 1024;
