/** A prerequisite that cannot be had; its message says what the person can do. */
export class Missing extends Error {}
